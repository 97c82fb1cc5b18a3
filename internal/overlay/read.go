package overlay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Limits that no overlay of a person comes near to: aliases can make a short text huge, or endless.
const (
	maxDepth  = 100
	maxValues = 100_000
)

const directives = "$patch, $retainKeys, $setElementOrder/FIELD, $deleteFromPrimitiveList/FIELD"

const notNull = "must not be null: remove it or fill it in"

// reader turns nodes into a tree and notes what does not fit.
type reader struct {
	problems []strictyaml.Problem
	lines    map[krm.Path]int
	values   int
	stopped  bool
	patch    bool // directives and nulls are what a patch is made of
}

func (r *reader) report(node *yaml.Node, at krm.Path, format string, args ...any) {
	r.problems = append(r.problems,
		strictyaml.Problem{Severity: krm.Error, Path: at, Line: node.Line, Message: fmt.Sprintf(format, args...)})
}

// value reads one value of the type. It is false where the value is null or does not fit.
func (r *reader) value(node *yaml.Node, at krm.Path, t typ, depth int) (any, bool) {
	line := node.Line
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if r.values++; !r.stopped && (r.values > maxValues || depth > maxDepth) {
		r.stopped = true
		r.report(node, at, "must not be deeper than %d levels or have more than %d values, aliases filled in", maxDepth, maxValues)
	}
	if r.stopped || isNull(node) {
		return nil, false
	}
	r.lines[at] = line
	switch k := t.kind(); k {
	case structure:
		return r.structure(node, at, t, depth)
	case dictionary:
		return r.dictionary(node, at, t, depth)
	case list:
		return r.list(node, at, t, depth)
	case readOnly:
		r.report(node, at, "must not be set: Kubernetes itself fills it in")
		return nil, false
	default:
		return r.scalar(node, at, k)
	}
}

func (r *reader) structure(node *yaml.Node, at krm.Path, t typ, depth int) (any, bool) {
	if node.Kind != yaml.MappingNode {
		r.report(node, at, "must be a mapping, not %s", describe(node))
		return nil, false
	}
	read := map[string]any{}
	for key, value := range r.pairs(node, at) {
		below := at.Key(key.Value)
		f, known := t.fields().byKey[key.Value]
		switch {
		case strings.HasPrefix(key.Value, "$"):
			r.directive(key, below, t)
		case !known:
			r.unknown(key, below, t)
		default:
			if v, ok := r.value(value, below, f.typ, depth+1); ok {
				read[key.Value] = v
			}
			r.keyed(value, below, f)
		}
	}
	return read, true
}

func (r *reader) dictionary(node *yaml.Node, at krm.Path, t typ, depth int) (any, bool) {
	if node.Kind != yaml.MappingNode {
		r.report(node, at, "must be a mapping, not %s", describe(node))
		return nil, false
	}
	read := map[string]any{}
	for key, value := range r.pairs(node, at) {
		below := at.Key(key.Value)
		if strings.HasPrefix(key.Value, "$") {
			r.directive(key, below, t)
			continue
		}
		if isNull(value) && !r.patch {
			r.report(value, below, notNull)
			continue
		}
		if v, ok := r.value(value, below, t.elem(), depth+1); ok {
			read[key.Value] = v
		}
	}
	return read, true
}

func (r *reader) list(node *yaml.Node, at krm.Path, t typ, depth int) (any, bool) {
	if node.Kind != yaml.SequenceNode {
		r.report(node, at, "must be a list, not %s", describe(node))
		return nil, false
	}
	elements := make([]any, 0, len(node.Content))
	for i, element := range node.Content {
		below := at.Index(i)
		if isNull(element) {
			r.report(element, below, notNull)
			continue
		}
		if v, ok := r.value(element, below, t.elem(), depth+1); ok {
			elements = append(elements, v)
		}
	}
	return elements, true
}

// keyed checks that the elements of a merged list can be told apart.
func (r *reader) keyed(node *yaml.Node, at krm.Path, f field) {
	if f.key == "" || node.Kind != yaml.SequenceNode {
		return
	}
	for i, element := range node.Content {
		value := krm.Value(element, f.key)
		if r.patch && krm.Value(element, "$patch") != nil {
			continue // such as {$patch: replace}
		}
		if element.Kind == yaml.MappingNode && (value == nil || value.Value == "" || isNull(value)) {
			r.report(element, at.Index(i).Key(f.key), "must be set")
		}
	}
}

// directive judges a key that begins with a dollar: of a patch those that apimachinery's strategicpatch knows pass.
func (r *reader) directive(key *yaml.Node, at krm.Path, t typ) {
	if r.patch {
		word, name, _ := strings.Cut(key.Value, "/")
		switch word {
		case "$patch", "$retainKeys":
		case "$setElementOrder", "$deleteFromPrimitiveList":
			if t.kind() == structure && !slices.Contains(t.fields().keys, name) {
				r.report(key, at, "must name a list behind the slash, and there is no field %q", name)
			}
		default:
			r.report(key, at, "unknown directive %q: must be one of %s", key.Value, directives)
		}
		return
	}
	r.report(key, at, "must not hold the merge directive %q: an overlay is the basis that the step is merged onto", key.Value)
}

func (r *reader) unknown(key *yaml.Node, at krm.Path, t typ) {
	keys, message := t.fields().keys, fmt.Sprintf("unknown field %q", key.Value)
	if nearest, _ := strictyaml.Nearest(key.Value, keys); nearest != "" {
		message += fmt.Sprintf(": did you mean %q?", nearest)
	} else if len(keys) <= 12 {
		message += ": must be one of " + strings.Join(keys, ", ")
	} else {
		message += ": remove it; `kubectl explain pod` lists the fields"
	}
	r.report(key, at, "%s", message)
}

// inOrder sorts the problems by their place in the text.
func inOrder(problems []strictyaml.Problem) []strictyaml.Problem {
	slices.SortStableFunc(problems, func(a, b strictyaml.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return problems
}

func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" }

// describe names a value without its text, which may be a secret.
func describe(node *yaml.Node) string {
	_, isWord := word(node)
	switch {
	case isWord:
		return "the boolean " + node.Value
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.ShortTag() == "!!str":
		return "a string"
	case node.ShortTag() == "!!int" || node.ShortTag() == "!!float":
		return "the number " + strings.Join(strings.Fields(node.Value), " ") // of one line, whatever its tag says
	default:
		return strconv.Quote(node.Value)
	}
}
