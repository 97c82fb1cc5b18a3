package digest

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// writer writes canonical JSON.
type writer struct {
	out  []byte
	path []step // from the root to the current value
	left int    // what may still be expanded
}

// step is a key, or the index of a list element.
type step struct {
	key   string
	index int
	list  bool
}

func (w *writer) raw(text string) { w.out = append(w.out, text...) }

// below writes node, which is at step of the current value.
func (w *writer) below(at step, node *yaml.Node) error {
	w.path = append(w.path, at)
	if len(w.path) > MaxDepth {
		return w.errorf("must not nest deeper than %d levels", MaxDepth)
	}
	if err := w.value(node); err != nil {
		return err
	}
	w.path = w.path[:len(w.path)-1]
	return nil
}

func (w *writer) value(node *yaml.Node) error {
	node = dereference(node)
	if err := w.spend(len(node.Value)); err != nil {
		return err
	}
	switch node.Kind {
	case yaml.MappingNode:
		return w.mapping(node)
	case yaml.SequenceNode:
		return w.list(node)
	default:
		return w.scalar(node)
	}
}

func (w *writer) list(node *yaml.Node) error {
	w.raw("[")
	for i, element := range node.Content {
		if i > 0 {
			w.raw(",")
		}
		if err := w.below(step{index: i, list: true}, element); err != nil {
			return err
		}
	}
	w.raw("]")
	return nil
}

func (w *writer) scalar(node *yaml.Node) error {
	if node.ShortTag() == "!!str" {
		w.quote(node.Value)
		return nil
	}
	var value any
	if err := node.Decode(&value); err != nil {
		return w.errorf("%.40q must be a %s", node.Value, node.ShortTag())
	}
	switch v := value.(type) {
	case nil:
		w.raw("null")
	case bool:
		w.out = strconv.AppendBool(w.out, v)
	case int:
		w.out = strconv.AppendInt(w.out, int64(v), 10)
	case int64:
		w.out = strconv.AppendInt(w.out, v, 10)
	case uint64:
		w.out = strconv.AppendUint(w.out, v, 10)
	case float64:
		return w.float(node.Value, v)
	case encoding.TextMarshaler: // a date or a time
		text, err := v.MarshalText()
		if err != nil || strings.ContainsAny(node.Value, "Tt :") {
			return w.errorf("%.40q must be a string: quote it", node.Value)
		}
		w.quote(string(text))
	case string:
		if !utf8.ValidString(v) {
			return w.errorf("must be UTF-8 text")
		}
		w.quote(v)
	default:
		return w.errorf("%.40q must be a string: quote it", node.Value)
	}
	return nil
}

// spend counts one node with n bytes of text against MaxSize: a few lines of aliases to aliases can expand to more than
// fits in memory.
func (w *writer) spend(n int) error {
	if w.left -= n + 1; w.left < 0 {
		return w.errorf("the document must not expand to more than %d MiB", MaxSize>>20)
	}
	return nil
}

func (w *writer) errorf(format string, args ...any) error {
	var path krm.Path
	for _, at := range w.path {
		if at.list {
			path = path.Index(at.index)
		} else {
			path = path.Key(at.key)
		}
	}
	return &Error{Path: path, Message: fmt.Sprintf(format, args...)}
}

func dereference(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// isAbsent reports whether a member with the value is left out.
func isAbsent(node *yaml.Node) bool {
	if node == nil {
		return true
	}
	node = dereference(node)
	return node.Kind == yaml.ScalarNode && (node.ShortTag() == "!!null" || node.Value == "")
}
