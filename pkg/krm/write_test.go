package krm

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestSplices tests the effect of edits on the bytes of a list, with a case per archive. A case has the sections `in`, `do`
// (one edit per line, see splicer) and `want`, and those that `do` refers to. It is run with both line endings.
func TestSplices(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/splices/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		require.NoError(t, err)
		sections := map[string]string{}
		for _, section := range archive.Files {
			sections[section.Name] = string(section.Data)
		}
		for _, section := range archive.Files {
			if title, ok := strings.CutSuffix(section.Name, ": in"); ok {
				t.Run(filepath.Base(name)+"/"+title, func(t *testing.T) {
					t.Parallel()
					trySplice(t, sections, title, "\n")
					trySplice(t, sections, title, "\r\n")
				})
			}
		}
	}
}

func trySplice(t *testing.T, sections map[string]string, title, eol string) {
	t.Helper()
	src, do, want := sections[title+": in"], sections[title+": do"], sections[title+": want"]
	if strings.HasPrefix(do, "open\n") {
		src = strings.TrimSuffix(src, "\n")
	}
	list, err := Parse([]byte(strings.ReplaceAll(src, "\n", eol)))
	require.NoError(t, err)
	for line := range strings.Lines(do) {
		s := splicer{list: list, section: func(name string) string { return sections[title+": "+name] }}
		require.NoError(t, s.do(words(line)), line)
	}
	got := written(t, list)
	require.Equal(t, strings.TrimSuffix(want, "\n"), strings.TrimSuffix(strings.ReplaceAll(got, "\r", ""), "\n"))
	if list.layout != nil {
		require.Equal(t, strings.Count(got, "\n"), strings.Count(got, eol), "line ends")
	}
	require.Equal(t, got, written(t, list), "written twice")
	if list.isJSON {
		require.True(t, json.Valid([]byte(got)))
	}
}

// words splits a line at its spaces; a word may be quoted as in Go.
func words(line string) []string {
	var all []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			word, _ := strconv.Unquote(quoted)
			all, line = append(all, word), line[len(quoted):]
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		all, line = append(all, word), rest
	}
	return all
}

// splicer does the edits of a case.
type splicer struct {
	list    *ResourceList
	section func(name string) string
}

func (s splicer) do(words []string) error {
	verb, args := words[0], words[1:]
	switch verb {
	case "annotate":
		s.item(args[0]).Annotate(args[1], args[2])
	case "unannotate":
		s.item(args[0]).Unannotate(args[1])
	case "set":
		return s.item(args[0]).Set(Path(args[1]), args[2])
	case "append":
		item, err := NewItem([]byte(s.section(args[0])))
		s.list.Append(item)
		return err
	case "replace":
		item, err := NewItem([]byte(s.section(args[1])))
		s.list.Replace(s.item(args[0]), item)
		return err
	case "remove":
		var gone []*Item
		for _, number := range args {
			gone = append(gone, s.item(number))
		}
		s.list.Remove(gone...)
	case "report":
		s.list.Report(NewResult("", args[0]))
	case "info":
		s.list.Report(NewResult(Info, args[0]))
	case "warn":
		s.list.Report(NewResult(Warning, args[0]))
	case "open": // the input has no line end at its end
	default:
		return errors.New("there is no such verb")
	}
	return nil
}

func (s splicer) item(number string) *Item {
	n, err := strconv.Atoi(number)
	if err != nil {
		panic(err)
	}
	return s.list.Items()[n]
}

const newItem = "apiVersion: v1\nkind: N\nmetadata:\n  name: n\ndata:\n  a: |\n    x\n\n    y\n"

// A value in the way of annotations is an error, not lost.
func TestAnnotateInTheWay(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{" a", "\n  - a", "\n    annotations: [a]", "\n    annotations: a", " {annotations: a}"} {
		list, err := Parse([]byte(head + "items:\n- apiVersion: v1\n  kind: AList\n  metadata:" + meta + "\n"))
		require.NoError(t, err)
		list.Items()[0].Annotate("a", "b")
		_, err = list.WriteTo(&strings.Builder{})
		require.ErrorContains(t, err, "must be a mapping to be annotated")
	}
}

func TestSetErrors(t *testing.T) {
	t.Parallel()
	item, err := NewItem([]byte(newItem))
	require.NoError(t, err)
	for _, path := range []Path{"", "data", "data.b", "data[0]", "metadata.annotations.x", "a..b"} {
		require.ErrorContains(t, item.Set(path, "x"), "there is no scalar to set", path)
	}
}

func TestItemSeesEdits(t *testing.T) {
	t.Parallel()
	item, err := NewItem([]byte(newItem))
	require.NoError(t, err)
	item.Annotate("a", "1")
	item.Annotate("b", "2")
	item.Unannotate("b")
	require.NoError(t, item.Set("metadata.name", "m"))
	require.NoError(t, item.Set(`["kind"]`, "O"))
	require.NoError(t, item.Set(`metadata.annotations["a"]`, "3"))
	value, ok := item.Annotation("a")
	assert.True(t, ok)
	assert.Equal(t, "3", value)
	_, ok = item.Annotation("b")
	assert.False(t, ok)
	assert.Equal(t, refTo("O", "m"), item.Ref())
	assert.Equal(t, "m", Value(Value(item.YNode(), "metadata"), "name").Value)
	text, err := item.Bytes()
	require.NoError(t, err)
	want := strings.NewReplacer("kind: N", "kind: O", "name: n\n", "name: m\n  annotations:\n    a: \"3\"\n").Replace(newItem)
	assert.Equal(t, want, string(text))
}

func TestBytes(t *testing.T) {
	t.Parallel()
	const text = "apiVersion: v1\nkind: A # c\nmetadata:\n  name: a\nx:\n- |\n  y\n\n  z\n- \"q\n\n  r\"\n"
	printed := strings.Replace(text, "\"q\n\n  r\"", "\"q\\nr\"", 1)
	list, err := Parse([]byte(head + "items:\n  -   " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n      ") + "\n"))
	require.NoError(t, err)
	raw, err := NewItem([]byte(strings.TrimSuffix(text, "\n")))
	require.NoError(t, err)
	flow, err := NewItem([]byte("apiVersion: v1\nkind: A\n\nmetadata: {name: &n a}\nb: *n # c\n"))
	require.NoError(t, err)
	object, err := Parse([]byte(`{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [` +
		`{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "x": ["y\n\nz\n", "q\nr"]}]}`))
	require.NoError(t, err)
	for _, test := range []struct {
		item *Item
		want string
	}{
		{raw, text},
		{flow, "apiVersion: v1\nkind: A\n\nmetadata: {name: &n a}\nb: *n # c\n"},
		{list.Items()[0], printed},
		{FromNode(parsed(t, text), "a.yaml"), printed},
		{object.Items()[0], "apiVersion: v1\nkind: A\nmetadata:\n  name: a\nx:\n- |\n  y\n\n  z\n- |-\n  q\n  r\n"},
	} {
		got, err := test.item.Bytes()
		require.NoError(t, err)
		assert.Equal(t, test.want, string(got))
	}
}

// Comments are kept, the blank lines between them are not.
func TestCommentsAroundAnObject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# license\n\n# above\n%s\n# foot\n": "# license\n# above\n%s\n# foot\n",
		"# license\n%s":                      "# license\n%s",
		"# license\n\n%s":                    "# license\n%s",
	} {
		item, err := NewItem(fmt.Appendf(nil, text, newItem))
		require.NoError(t, err)
		require.NoError(t, item.Set("kind", "M"))
		got, err := item.Bytes()
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf(want, strings.Replace(newItem, "kind: N", "kind: M", 1)), string(got))
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	item, err := NewItem([]byte(newItem))
	require.NoError(t, err)
	require.NoError(t, item.Edit(func(object *kyaml.RNode) error {
		return object.PipeE(kyaml.SetField("kind", kyaml.NewStringRNode("N")))
	}))
	assert.False(t, item.changed)
	require.NoError(t, item.Edit(func(object *kyaml.RNode) error { return object.SetMapField(kyaml.NewStringRNode("x"), "spec", "y") }))
	text, err := item.Bytes()
	require.NoError(t, err)
	assert.Equal(t, newItem+"spec:\n  y: x\n", string(text))
}

func TestNewList(t *testing.T) {
	t.Parallel()
	item, err := NewItem([]byte(newItem))
	require.NoError(t, err)
	assert.Equal(t, head+"items: []\n", written(t, NewList()))
	text := written(t, NewList(item))
	list, err := Parse([]byte(text))
	require.NoError(t, err)
	assert.Equal(t, text, written(t, list))
	object, err := list.Items()[0].Bytes()
	require.NoError(t, err)
	assert.Equal(t, newItem, string(object))
}
