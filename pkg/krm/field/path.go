// Package field names the fields of YAML documents, and finds them in trees. It needs the YAML parser and nothing else, so
// that small programs can link it.
package field

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Path names a field of a document as in a result's `field.path`: keys joined by dots, list indexes in brackets, and
// keys that are not plain quoted in brackets: `spec.create[0].inputs[1].as.env`,
// `metadata.annotations["resourceplugins.dev/digest"]`. The empty path is the document itself.
type Path string

// Key is the path of the field key below p.
func (p Path) Key(key string) Path {
	switch {
	case !plainKey(key):
		return p + Path("["+strconv.Quote(key)+"]")
	case p == "":
		return Path(key)
	default:
		return p + Path("."+key)
	}
}

// Index is the path of the list element i below p.
func (p Path) Index(i int) Path { return p + Path("["+strconv.Itoa(i)+"]") }

// Find returns the value at p below root, and false if it does not exist. Of duplicate keys the first counts.
func (p Path) Find(root *yaml.Node) (*yaml.Node, bool) {
	node, found := p.Nearest(root)
	if !found {
		return nil, false
	}
	return node, node != nil
}

// Nearest returns the value at p below root, or its nearest existing parent and false.
func (p Path) Nearest(root *yaml.Node) (*yaml.Node, bool) {
	node := root
	for step, ok := range p.steps() {
		next := step.of(node)
		if !ok || next == nil {
			return node, false
		}
		node = next
	}
	return node, true
}

// FindKey returns the key of the field at p below root, and false if p does not end in a key that exists.
func (p Path) FindKey(root *yaml.Node) (*yaml.Node, bool) {
	var mapping *yaml.Node
	node, last := root, Step{Index: 0}
	for step, ok := range p.steps() {
		if !ok {
			return nil, false
		}
		mapping, node, last = Dereference(node), step.of(node), step
	}
	if node == nil || last.Index >= 0 {
		return nil, false
	}
	return mapping.Content[KeyIndex(mapping, last.Key)], true
}

// Compare orders paths step by step, a parent before its fields and list elements by number.
func Compare(a, b Path) int {
	return cmp.Or(slices.CompareFunc(a.Steps(), b.Steps(), func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Index, b.Index))
	}), cmp.Compare(a, b))
}

// Step is one step of a path: a key, or if that is empty the index of a list element.
type Step struct {
	Key   string
	Index int // -1 if the step is a key
}

// of returns the value that the step leads to, or nil.
func (s Step) of(node *yaml.Node) *yaml.Node {
	if s.Index >= 0 {
		return elementAt(node, s.Index)
	}
	return Value(node, s.Key)
}

// Steps returns the steps of p, as far as p can be read.
func (p Path) Steps() []Step {
	var steps []Step
	for step, ok := range p.steps() {
		if ok {
			steps = append(steps, step)
		}
	}
	return steps
}

// steps iterates over the steps of p. It ends with false if a step cannot be read.
func (p Path) steps() iter.Seq2[Step, bool] {
	return func(yield func(Step, bool) bool) {
		for rest := string(p); rest != ""; {
			step, after, ok := nextStep(rest)
			if !yield(step, ok) || !ok {
				return
			}
			rest = after
		}
	}
}

// nextStep cuts the first step off a path.
func nextStep(path string) (step Step, rest string, ok bool) {
	path = strings.TrimPrefix(path, ".")
	if !strings.HasPrefix(path, "[") {
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		return Step{Key: path[:end], Index: -1}, path[end:], end > 0
	}
	if quoted, err := strconv.QuotedPrefix(path[1:]); err == nil {
		key, err := strconv.Unquote(quoted)
		rest, closed := strings.CutPrefix(path[1+len(quoted):], "]")
		return Step{Key: key, Index: -1}, rest, err == nil && closed
	}
	digits, rest, closed := strings.Cut(path[1:], "]")
	index, err := strconv.Atoi(digits)
	return Step{Index: index}, rest, closed && err == nil && index >= 0
}

func plainKey(key string) bool {
	for i := range len(key) {
		if !isWordByte(key[i]) {
			return false
		}
	}
	return key != ""
}

func isWordByte(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
