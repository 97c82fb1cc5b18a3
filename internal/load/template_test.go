package load_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// files are files in memory.
type files map[string]string

func (f files) Embed(name string) (content []byte, path string, err error) {
	name = strings.TrimPrefix(name, "./")
	content = []byte(f[name])
	if f[name] == "" {
		err = errors.New("there is no such file")
	}
	return content, "dir/" + name, err
}

var (
	given  = map[string]string{"a": "x", "b-2.c_3": "y", "port": "8080", "list": "[1, two]", "nested": "@{a}", "empty": ""}
	stored = files{
		"run.sh":   "#!/bin/sh\ngit rev-parse @{u}\n",
		"doc.yaml": "k: [1, v]\n",
		"bin":      "\xff\x00",
		"two":      "a\n---\nb\n",
		"anchors":  "a: &x 1\nb: *x\n", "broken": "a: [", "crlf": "a\r\nb\r\n", "nothing": "# only a comment\n",
	}
)

func expand(t *testing.T, text string) (*yaml.Node, *load.Expander) {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	e := &load.Expander{Values: given, Files: stored}
	e.Expand(&document, "")
	return &document, e
}

func TestExpandFillsIn(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text string // of a YAML value
		want any
	}{
		"a variable":                  {`"@{a}"`, "x"},
		"blanks":                      {`"@{ a }"`, "x"},
		"a variable of all letters":   {`"@{b-2.c_3}"`, "y"},
		"within text":                 {`"1@{a}2@{a}3"`, "1x2x3"},
		"an empty value":              {`"<@{empty}>"`, "<>"},
		"raw":                         {`"@{a[raw]}"`, "x"},
		"blanks everywhere":           {`"@{ a [ raw ] }"`, "x"},
		"a number stays text":         {`"@{port}"`, "8080"},
		"a plain scalar stays text":   {`80@{empty}80`, "8080"},
		"yaml makes a number":         {`"@{port[yaml]}"`, 8080},
		"yaml makes a list":           {`"@{list[yaml]}"`, []any{1, "two"}},
		"yaml of nothing":             {`"@{empty[yaml]}"`, nil},
		"yaml of a comment":           {`"@{embed[yaml]: nothing}"`, nil},
		"binary":                      {`"@{a[binary]}"`, "eA=="},
		"an embedded file":            {`"@{embed: run.sh}"`, "#!/bin/sh\ngit rev-parse @{u}\n"},
		"without a blank":             {`"@{embed:./run.sh}"`, "#!/bin/sh\ngit rev-parse @{u}\n"},
		"an embedded file in text":    {`"<@{embed: crlf}>"`, "<a\r\nb\r\n>"},
		"an embedded tree":            {`"@{embed[yaml]: doc.yaml}"`, map[string]any{"k": []any{1, "v"}}},
		"embedded bytes":              {`"@{embed[binary]: bin}"`, "/wA="},
		"values are not looked at":    {`"@{nested}"`, "@{a}"},
		"keys are not looked at":      {`{"@{a}": "@{a}"}`, map[string]any{"@{a}": "x"}},
		"elements":                    {`["@{a}", [{b: "@{a}"}]]`, []any{"x", []any{map[string]any{"b": "x"}}}},
		"a block scalar":              {"|\n  a: @{a}\n  b: @{port}", "a: x\nb: 8080"},
		"anchors":                     {`[&n "@{a}", *n]`, []any{"x", "x"}},
		"nothing in braces":           {`"@{}@{a}"`, "@{}x"},
		"no closing brace":            {`"@{a"`, "@{a"},
		"shell arrays":                {`"${arr[@]} ${a} @ {a}"`, "${arr[@]} ${a} @ {a}"},
		"an at sign":                  {`"name@1.0.0"`, "name@1.0.0"},
		"a brace in the braces":       {`"@@{a}}"`, "@x}"},
		"not a string":                {`[1, true, null]`, []any{1, true, nil}},
		"a directive over two lines":  {"\"@{a\n  }\"", "x"},
		"a tagged string":             {`!!str "@{port}"`, "8080"},
		"another tag is left alone":   {`!secret "@{a}"`, "@{a}"},
		"the same file twice in text": {`"@{embed: doc.yaml}@{embed: doc.yaml}"`, "k: [1, v]\nk: [1, v]\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node, e := expand(t, c.text)
			require.Empty(t, e.Problems)
			assert.Empty(t, e.Failed)
			var got any
			require.NoError(t, node.Decode(&got))
			assert.Equal(t, c.want, got)

			printed, err := yaml.Marshal(node)
			require.NoError(t, err)
			var again any
			require.NoError(t, yaml.Unmarshal(printed, &again), "%s", printed)
			assert.Equal(t, c.want, again, "what is filled in survives printing")
		})
	}
}

func TestExpandTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	const noEscape = "there is no escape: put text that is not meant as a directive into a file that is embedded"
	const git = "; git's own @{%s} is not possible in a document: " + noEscape
	cases := map[string]struct{ text, want string }{
		"a missing variable": {
			`"@{zzz}"`,
			`"@{zzz}": variable "zzz" must have a value: give it with --set zzz=VALUE, or with --values FILE`,
		},
		"a near one": {
			`"@{prot}"`,
			`"@{prot}": variable "prot" must have a value: give it with --set prot=VALUE, or with --values FILE (there is one for "port")`,
		},
		"git's upstream": {
			`"git rev-parse @{u}"`,
			`"@{u}": variable "u" must have a value: give it with --set u=VALUE, or with --values FILE` + fmt.Sprintf(git, "u"),
		},
		"git's reflog": {
			`"git show HEAD@{1}"`,
			`"@{1}": a variable must start with a letter and hold letters, digits, "_.-" only` +
				fmt.Sprintf(git, "1"),
		},
		"git's branches": {
			`"git checkout @{-2}"`,
			`"@{-2}": a variable must start with a letter and hold letters, digits, "_.-" only` +
				fmt.Sprintf(git, "-2"),
		},
		"not a variable": {
			`"@{a b}"`,
			`"@{a b}": a variable must start with a letter and hold letters, digits, "_.-" only; ` + noEscape,
		},
		"the old operation": {
			`"@{include: ./run.sh}"`,
			`"@{include: ./run.sh}": operation "include" is called "embed" today: write "@{embed: ./run.sh}"`,
		},
		"a misspelt operation": {
			`"@{embd: run.sh}"`,
			`"@{embd: run.sh}": unknown operation "embd": did you mean "embed"?`,
		},
		"an unknown operation": {
			`"@{env: HOME}"`,
			`"@{env: HOME}": unknown operation "env": must be "embed"; ` + noEscape,
		},
		"no file": {
			`"@{embed: }"`,
			`"@{embed: }": the file to embed must be named, as in "@{embed: ./script.sh}"`,
		},
		"a missing file": {`"@{embed: gone}"`, `"@{embed: gone}": there is no such file`},
		"an unknown encoding": {
			`"@{a[json]}"`,
			`"@{a[json]}": unknown encoding "json": must be raw, yaml or binary`,
		},
		"an open bracket": {
			`"@{a[yaml}"`,
			`"@{a[yaml}": the bracket of an encoding must be closed, as in "@{name[yaml]}"`,
		},
		"yaml within text": {
			`"p: @{port[yaml]}"`,
			`"@{port[yaml]}": the encoding "yaml" must be used only where the directive is the whole string`,
		},
		"binary within text": {
			`"@{a[binary]} "`,
			`"@{a[binary]}": the encoding "binary" must be used only where the directive is the whole string`,
		},
		"bytes as text": {
			`"@{embed: bin}"`,
			`"@{embed: bin}": what is filled in must be UTF-8 text: use the encoding [binary] for anything else`,
		},
		"broken yaml": {
			`"@{embed[yaml]: broken}"`,
			`the value of "dir/broken": line 1: must be valid YAML: did not find expected node content`,
		},
		"two documents":     {`"@{embed[yaml]: two}"`, `the value of "dir/two": line 2: must be one YAML document: a second one begins here`},
		"anchors in a tree": {`"@{embed[yaml]: anchors}"`, `the value of "dir/anchors" must not use YAML anchors`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node, e := expand(t, "k: [ok, "+c.text+"]")
			require.Len(t, e.Problems, 1)
			assert.Equal(t, c.want, e.Problems[0].Message)
			assert.EqualValues(t, "k[1]", e.Problems[0].Path)
			assert.Equal(t, load.RuleTemplate, e.Problems[0].Rule)
			require.Len(t, e.Failed, 1)
			assert.Equal(t, 1, e.Failed[0].Line)
			var want, got any
			require.NoError(t, yaml.Unmarshal([]byte("k: [ok, "+c.text+"]"), &want))
			require.NoError(t, node.Decode(&got))
			assert.Equal(t, want, got, "the value stays as it was written")
		})
	}
}

func TestExpandTellsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	_, e := expand(t, "{one: '@{p1}@{q1}', two: '@{p1}', three: '@{r1: x}@{a}', four: '@{p1}'}")
	paths := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		paths[i] = string(p.Path) + " " + p.Message[:7]
	}
	assert.Equal(t, []string{`one "@{p1}"`, `one "@{q1}"`, `three "@{r1: `}, paths, "a missing variable is reported once")
	assert.Len(t, e.Failed, 4, "but every value that lacks it is known")
}

func TestExpandWithoutFilesRefusesEmbeds(t *testing.T) {
	t.Parallel()
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "@{embed: x}"}
	var e load.Expander
	e.Expand(node, "spec.script")
	require.Len(t, e.Problems, 1)
	assert.Equal(t, `"@{embed: x}": files must not be embedded here`, e.Problems[0].Message)
}

func TestOriginsTellWhereTextCameFrom(t *testing.T) {
	t.Parallel()
	node, e := expand(t, `["<@{a}@{embed: run.sh}>", "@{embed[yaml]: doc.yaml}", plain]`)
	require.Empty(t, e.Problems)
	list := node.Content[0].Content
	assert.Equal(t, []load.Origin{
		{Start: 1, End: 2, From: 1, To: 5, Variable: "a"},
		{Start: 2, End: 2 + len(stored["run.sh"]), From: 5, To: 21, File: "dir/run.sh", Line: 1, Column: 1},
	}, e.Origins[list[0]])
	assert.Equal(t, "<@{a}@{embed: run.sh}>", e.Written[list[0]])
	one := list[1].Content[1].Content[1]
	directive := load.Origin{From: 0, To: 24, File: "dir/doc.yaml", Encoded: true}
	whole, scalar := directive, directive
	whole.Line, whole.Column = 1, 1
	scalar.End, scalar.Line, scalar.Column = 1, 1, 8
	assert.Equal(t, []load.Origin{scalar}, e.Origins[one])
	assert.Equal(t, []load.Origin{whole}, e.Origins[list[1]])
	assert.NotContains(t, e.Written, list[1])
	assert.Equal(t, list[1].Line, one.Line, "a grafted tree has the place of its directive")
	assert.Empty(t, e.Origins[list[2]])
}

func TestAGraftedScalarKeepsItsOrigin(t *testing.T) {
	t.Parallel()
	node, e := expand(t, `"@{port[yaml]}"`)
	assert.Equal(t, []load.Origin{{Start: 0, End: 4, To: 13, Variable: "port", Line: 1, Column: 1, Encoded: true}},
		e.Origins[node.Content[0]])
}

// Text of several lines is printed as such; everything else is quoted, so that no reader takes it for something else.
func TestStyles(t *testing.T) {
	t.Parallel()
	cases := []struct {
		value string
		want  yaml.Style
	}{
		{"a\nb\n", yaml.LiteralStyle},
		{"#!/bin/sh\n\techo\n\n", yaml.LiteralStyle},
		{"a", yaml.DoubleQuotedStyle},
		{"yes", yaml.DoubleQuotedStyle},
		{"", yaml.DoubleQuotedStyle},
		{" a\nb", yaml.DoubleQuotedStyle},
		{"\na", yaml.DoubleQuotedStyle},
		{"\ta\nb", yaml.DoubleQuotedStyle},
		{"a\r\nb", yaml.DoubleQuotedStyle},
		{"a\n\x1bb", yaml.DoubleQuotedStyle},
		{"a\n\u2028b", yaml.DoubleQuotedStyle},
		{"a\n\ufeffb", yaml.DoubleQuotedStyle},
	}
	for _, c := range cases {
		node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "@{v}"}
		e := load.Expander{Values: map[string]string{"v": c.value}}
		e.Expand(node, "")
		assert.Equal(t, c.want, node.Style, "%q", c.value)
		assert.Equal(t, c.value, node.Value)
	}
	single := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "@{v}", Style: yaml.SingleQuotedStyle}
	e := load.Expander{Values: map[string]string{"v": "x"}}
	e.Expand(single, "")
	assert.Equal(t, yaml.SingleQuotedStyle, single.Style, "quotes stay what they were")
}

// Few directives must not become more text than a document can hold.
func TestExpandLimitsWhatADocumentGrowsTo(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", load.MaxEmbedded)
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for range 40 {
		list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "@{v}"})
	}
	e := load.Expander{Values: map[string]string{"v": big}}
	e.Expand(list, "spec")
	require.NotEmpty(t, e.Problems)
	assert.Contains(t, e.Problems[0].Message, "directives must not give more than 16777216 bytes in one document")
	assert.EqualValues(t, "spec[16]", e.Problems[0].Path)
	assert.Len(t, e.Problems, 1, "it is reported once")
}

func TestIsVariable(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a", "Z", "a1", "a_b.c-d", "tfstate-bucket"} {
		assert.True(t, load.IsVariable(good), good)
	}
	for _, bad := range []string{"", "1", "_a", "-a", ".a", "a b", "a/b", "ä", "aä", "a\n"} {
		assert.False(t, load.IsVariable(bad), bad)
	}
}
