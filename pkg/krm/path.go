package krm

import (
	"cmp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Path names a field of a document the way a result's `field.path` does: keys joined by dots, list indexes in
// brackets, and a key that is not plain quoted in brackets: `spec.create[0].inputs[1].as.env`,
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

// Find returns the value at p below root, and false if there is none. Of duplicate keys the first counts.
func (p Path) Find(root *yaml.Node) (*yaml.Node, bool) {
	node := root
	for rest := string(p); rest != ""; {
		key, index, after, ok := nextStep(rest)
		if !ok {
			return nil, false
		}
		if node = step(node, key, index); node == nil {
			return nil, false
		}
		rest = after
	}
	return node, node != nil
}

// nearest returns the value at p below root, or its nearest parent that exists.
func (p Path) nearest(root *yaml.Node) *yaml.Node {
	node := root
	for rest := string(p); rest != ""; {
		key, index, after, ok := nextStep(rest)
		if !ok {
			break
		}
		next := step(node, key, index)
		if next == nil {
			break
		}
		node, rest = next, after
	}
	return node
}

// comparePaths orders paths step by step, a parent before its fields and list elements by number.
func comparePaths(a, b Path) int {
	restA, restB := string(a), string(b)
	for restA != "" && restB != "" {
		keyA, indexA, nextA, okA := nextStep(restA)
		keyB, indexB, nextB, okB := nextStep(restB)
		if !okA || !okB {
			break
		}
		if c := cmp.Or(cmp.Compare(keyA, keyB), cmp.Compare(indexA, indexB)); c != 0 {
			return c
		}
		restA, restB = nextA, nextB
	}
	return cmp.Compare(restA, restB)
}

// Step is one step of a path: a key, or where that is empty the index of a list element.
type Step struct {
	Key   string
	Index int
}

// Steps returns the steps of p, as far as p can be read.
func (p Path) Steps() []Step {
	var steps []Step
	for rest := string(p); rest != ""; {
		key, index, after, ok := nextStep(rest)
		if !ok {
			break
		}
		steps = append(steps, Step{key, index})
		rest = after
	}
	return steps
}

func step(node *yaml.Node, key string, index int) *yaml.Node {
	if index >= 0 {
		return elementAt(node, index)
	}
	return Value(node, key)
}

// nextStep cuts the first step off a path. The index is -1 if the step is a key.
func nextStep(path string) (key string, index int, rest string, ok bool) {
	path = strings.TrimPrefix(path, ".")
	if !strings.HasPrefix(path, "[") {
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		return path[:end], -1, path[end:], end > 0
	}
	if quoted, err := strconv.QuotedPrefix(path[1:]); err == nil {
		key, err = strconv.Unquote(quoted)
		rest, closed := strings.CutPrefix(path[1+len(quoted):], "]")
		return key, -1, rest, err == nil && closed
	}
	digits, rest, closed := strings.Cut(path[1:], "]")
	index, err := strconv.Atoi(digits)
	return "", index, rest, closed && err == nil && index >= 0
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
