package strictyaml

import (
	"encoding"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// digestWriter writes trees without aliases as canonical JSON.
type digestWriter struct {
	out     []byte
	path    []field.Path // the steps from the root to the current value
	left    int          // remaining bytes of text and nodes
	problem *Problem
}

func (w *digestWriter) raw(text string) { w.out = append(w.out, text...) }

// below writes node, which is at a step below the current value.
func (w *digestWriter) below(at field.Path, node *yaml.Node) {
	w.path = append(w.path, at)
	if len(w.path) > MaxDigestDepth {
		w.fail("must not nest deeper than %d levels", MaxDigestDepth)
	}
	w.value(node)
	w.path = w.path[:len(w.path)-1]
}

func (w *digestWriter) value(node *yaml.Node) {
	w.spend(node)
	switch {
	case w.problem != nil:
	case node.Kind == yaml.MappingNode:
		w.mapping(node)
	case node.Kind == yaml.SequenceNode:
		w.list(node)
	default:
		w.scalar(node)
	}
}

func (w *digestWriter) mapping(node *yaml.Node) {
	members := make(map[string]*yaml.Node, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		w.spend(key)
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			w.fail("key %.40q must be a string: quote it", key.Value)
		} else if members[key.Value] != nil {
			w.fail("key %.40q must not be given twice", key.Value)
		}
		members[key.Value] = node.Content[i+1]
	}
	w.raw("{")
	separator := ""
	for _, key := range slices.SortedFunc(maps.Keys(members), compareUTF16) {
		if isAbsent(members[key]) {
			continue
		}
		w.raw(separator)
		w.text(key)
		w.raw(":")
		w.below(field.Path("").Key(key), members[key])
		separator = ","
	}
	w.raw("}")
}

// compareUTF16 orders names by UTF-16 code units, as RFC 8785 (3.2.3) requires.
func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

func (w *digestWriter) list(node *yaml.Node) {
	w.raw("[")
	for i, element := range node.Content {
		if i > 0 {
			w.raw(",")
		}
		w.below(field.Path("").Index(i), element)
	}
	w.raw("]")
}

func (w *digestWriter) scalar(node *yaml.Node) {
	if node.ShortTag() == "!!str" {
		w.text(node.Value)
		return
	}
	var value any
	if err := node.Decode(&value); err != nil {
		w.fail("%.40q must be a %s", node.Value, node.ShortTag())
		return
	}
	switch v := value.(type) {
	case nil:
		w.raw("null")
	case bool, int, int64, uint64:
		w.raw(fmt.Sprint(v))
	case float64:
		w.float(node.Value, v)
	case encoding.TextMarshaler: // a date or a time
		text, err := v.MarshalText()
		if err != nil || strings.ContainsAny(node.Value, "Tt :") {
			w.fail("%.40q must be a string: quote it", node.Value)
		}
		w.quote(string(text))
	case string:
		if !utf8.ValidString(v) {
			w.fail("must be UTF-8 text")
		}
		w.text(v)
	default:
		w.fail("%.40q must be a string: quote it", node.Value)
	}
}

// text writes a string of the document.
func (w *digestWriter) text(text string) {
	if strings.ContainsRune(text, yamlprint.NextLine) {
		w.fail("must not hold %s: kustomize makes another character of it", yamlprint.CharacterName(yamlprint.NextLine))
	}
	w.quote(text)
}

// quote writes a string as RFC 8785 (3.2.2.2) does.
func (w *digestWriter) quote(text string) { w.raw(`"` + escaper.Replace(text) + `"`) }

var escaper = newEscaper()

func newEscaper() *strings.Replacer {
	named := []string{`"`, `\"`, `\`, `\\`, "\b", `\b`, "\t", `\t`, "\n", `\n`, "\f", `\f`, "\r", `\r`}
	numbered := make([]string, 0, 2*' ')
	for c := range ' ' {
		numbered = append(numbered, string(c), fmt.Sprintf(`\u%04x`, c))
	}
	return strings.NewReplacer(slices.Concat(named, numbered)...) // of two pairs for a character the first counts
}

// spend counts a node and its text against MaxDigestSize: a few aliases of a long text can expand to more than fits in
// memory.
func (w *digestWriter) spend(node *yaml.Node) {
	if w.left -= len(node.Value) + 1; w.left < 0 {
		w.fail("the document must not expand to more than %d MiB", MaxDigestSize>>20)
	}
}

// fail reports a problem of the current value, unless there is an earlier one. Nothing is written after it.
func (w *digestWriter) fail(format string, args ...any) {
	if w.problem != nil {
		return
	}
	var path field.Path
	for _, at := range w.path {
		if path != "" && at[0] != '[' {
			path += "."
		}
		path += at
	}
	problem := Error(path, format, args...)
	w.problem = &problem
}

// isAbsent reports whether a member with the value is omitted.
func isAbsent(node *yaml.Node) bool {
	return node == nil || node.Kind == yaml.ScalarNode && (node.ShortTag() == "!!null" || node.Value == "")
}
