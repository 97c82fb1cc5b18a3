package suite

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requirements are the sentences of the KRM Functions Specification about functions, with the cases that hold them: first those
// with MUST, MUST NOT, SHOULD and SHOULD NOT, and the schema, then those without a keyword. The other sentences are about
// orchestrators, or permit something with MAY.
// https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md
var requirements = []struct {
	sentence string
	cases    []string
}{
	{"A function MUST accept input from `stdin` and MUST output to `stdout` a Kubernetes object of kind `ResourceList` with the following OpenAPI schema",
		[]string{"run/plain", "output/kind", "output/items", "input/items-absent", "input/items-null", "input/no-items", "input/v1beta1"}},
	{"MUST output to `stdout` a Kubernetes object of kind `ResourceList` with the following OpenAPI schema",
		[]string{"results/list", "results/message", "results/severity", "results/reference", "results/reference-namespace",
			"results/field", "results/file", "results/file-index", "results/tags"}},
	{"If defined, `ResourceRef` must also be provided.", []string{"results/field-reference"}},
	{"A function MUST support YAML as a serialization format for the input and output.",
		[]string{"input/crlf", "input/byte-order-mark", "input/no-final-newline", "input/document-markers", "input/leading-comments",
			"input/indented-items", "input/flow", "input/anchors", "input/block-scalars", "input/tags", "output/unique-keys"}},
	{"A function MUST use utf8 encoding", []string{"input/json", "input/unicode", "input/not-utf8", "output/utf8"}},
	{"A function MUST be implemented as a container.", []string{"hermetic/container"}},
	{"A function container MUST be capable of running as a non-root user `nobody`", []string{"hermetic/nobody"}},
	{"Any non-structured error messages MUST be emitted to `stderr`.", []string{"exit/stdout"}},
	{"`stdout` is reserved for `ResourceList`", []string{"output/one-document", "exit/stdout"}},
	{"A function SHOULD preserve comments when input serialization format is YAML.", []string{"keep/comments"}},
	{"a function MUST NOT modify these annotations with the exception of the specific annotations listed below",
		[]string{"keep/internal-id", "keep/internal-unknown"}},
	{"A function SHOULD NOT modify these annotations.", []string{"keep/path", "keep/index"}},

	{"Items is a list of Kubernetes objects", []string{"output/objects", "output/annotations"}},
	{"FunctionConfig is an optional Kubernetes object", []string{"config/absent", "config/unknown-kind"}},
	{"Path is the OS agnostic, slash-delimited, relative path.", []string{"results/file-path"}},
	{"An exit code of zero indicates function execution was successful. A non-zero exit code indicates a failure.",
		[]string{"results/exit-code", "behavior/invalid", "input/not-yaml", "input/truncated", "input/items-not-a-list",
			"input/item-not-an-object"}},
	{"Records the slash-delimited, OS-agnostic, relative file path to a resource.", []string{"output/paths"}},
	{"the index represents the position of the Resource starting from zero.", []string{"output/indexes"}},
}

func TestCases_holdEachRequirement(t *testing.T) {
	t.Parallel()
	cases, err := Load()
	require.NoError(t, err)
	held := map[string]bool{}
	for _, requirement := range requirements {
		for _, id := range requirement.cases {
			c := Find(cases, id)
			require.NotNil(t, c, id)
			assert.Contains(t, c.Sentence, requirement.sentence, id)
			held[id] = true
		}
	}
	for _, c := range cases {
		assert.Equal(t, c.Level != Convention, held[c.ID], "%s is %s", c.ID, c.Level)
	}
}

func TestCases_areComplete(t *testing.T) {
	t.Parallel()
	cases, err := Load()
	require.NoError(t, err)
	seen := map[string]bool{"none": true}
	for _, c := range cases {
		assert.False(t, seen[c.ID], c.ID)
		assert.Contains(t, Levels, c.Level, c.ID)
		assert.NotEmpty(t, c.Title, c.ID)
		assert.NotEmpty(t, c.Reason, c.ID)
		assert.Equal(t, c.Level == Convention, c.Sentence == "", c.ID)
		assert.Equal(t, c.Level == Convention, c.By != "", c.ID)
		assert.True(t, seen[c.Needs], "%s needs %s, which must come before", c.ID, c.Needs)
		seen[c.ID] = true
	}
}

// A functionConfig and items of the user are in every input that has a place for them.
func TestRun_Bytes_fillsIn(t *testing.T) {
	t.Parallel()
	cases, err := Load()
	require.NoError(t, err)
	data := Data{Config: []byte("kind: Mine\n"), Items: [][]byte{[]byte("kind: My\nspec: # why\n  a: b\n")}, Invalid: []byte("invalid")}
	for _, c := range cases {
		input, has, err := c.Run.Bytes(data)
		require.NoError(t, err, c.ID)
		assert.True(t, has, c.ID)
		assert.NotContains(t, string(input), "${", c.ID)
		if given := slices.Contains([]string{"", "given"}, c.Run.Config); given && strings.Contains(c.Run.Input, "${config}") {
			assert.Contains(t, string(input), "Mine", c.ID)
		}
		if c.Run.Input == "" && !c.Every && c.Run.File == "" && c.Run.Form != "json" {
			assert.Contains(t, strings.ReplaceAll(string(input), "\r", ""), "\n- kind: My\n  spec: # why\n    a: b", c.ID)
		}
	}
	for _, run := range []Run{{}, Find(cases, "input/flow").Run} {
		input, has, err := run.Bytes(Data{})
		require.NoError(t, err)
		assert.True(t, has)
		assert.NotContains(t, string(input), "functionConfig")
	}
}
