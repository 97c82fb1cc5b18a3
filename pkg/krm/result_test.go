package krm

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// refTo names an object of version v1 without a namespace.
func refTo(kind, name string) ResourceRef {
	return ResourceRef{TypeMeta: kyaml.TypeMeta{APIVersion: "v1", Kind: kind}, NameMeta: kyaml.NameMeta{Name: name}}
}

func result(severity Severity, message string, change func(r *Result)) Result {
	r := NewResult(severity, message)
	change(&r)
	return r
}

func TestResultsShape(t *testing.T) {
	t.Parallel()
	ref := refTo("A", "a")
	ref.Namespace = "n"
	results := Results{
		NewResult("", "plain"),
		result(Error, "`a` must be: \"b\"\nnot c", func(r *Result) {
			r.ResourceRef, r.File = &ref, &File{Path: "a/b.yaml", Index: 2}
			r.Field = &Field{Path: "spec.a[0]", CurrentValue: "yes", ProposedValue: 3}
			r.Tags = map[string]string{"rule": "x", "1": "", "a b": "c"}
		}),
		result(Info, `say "short"`, func(r *Result) {
			r.ResourceRef, r.Field, r.File = &ResourceRef{}, &Field{CurrentValue: true}, &File{}
		}),
	}
	text, err := resultsField(nodesOf(t, results))
	require.NoError(t, err)
	assert.Equal(t, `results:
- message: plain
- message: |-
    `+"`a`"+` must be: "b"
    not c
  severity: error
  resourceRef:
    apiVersion: v1
    kind: A
    name: a
    namespace: "n"
  field:
    path: spec.a[0]
    currentValue: "yes"
    proposedValue: 3
  file:
    path: a/b.yaml
    index: 2
  tags:
    "1": ""
    a b: c
    rule: x
- message: say "short"
  severity: info
  file: {}
`, string(text))
	fromYAML, err := yaml.YAMLToJSON(text)
	require.NoError(t, err)
	tree, err := results.tree()
	require.NoError(t, err)
	asJSON, err := yamlprint.AppendTreeJSON(nil, tree)
	require.NoError(t, err)
	assert.JSONEq(t, string(fromYAML), `{"results":`+string(asJSON)+"}")
}

// The framework that most functions are built with reads our results.
func TestResultsForPeers(t *testing.T) {
	t.Parallel()
	list := NewList()
	ref := refTo("K", "n")
	list.Report(Result{
		Message: "a", Severity: Warning, ResourceRef: &ref, File: &File{Path: "c", Index: 1},
		Field: &Field{Path: "b", CurrentValue: "1"}, Tags: map[string]string{"x": "y"},
	})
	text, err := resultsField(nodesOf(t, list.Results()))
	require.NoError(t, err)
	var got struct {
		Results framework.Results `json:"results"`
	}
	require.NoError(t, yaml.UnmarshalStrict(text, &got))
	assert.Equal(t, framework.Results{{
		Message: "a", Severity: framework.Warning, ResourceRef: &ref, File: &framework.File{Path: "c", Index: 1},
		Field: &framework.Field{Path: "b", CurrentValue: "1"}, Tags: map[string]string{"x": "y"},
	}}, got.Results)
	assert.Equal(t, got.Results[0].String(), list.Results()[0].String())
}

func TestResultsSort(t *testing.T) {
	t.Parallel()
	of := func(order int, path string, severity Severity, message string) Result {
		return result(severity, message, func(r *Result) {
			if r.order = order; path != "" {
				r.Field = &Field{Path: path}
			}
		})
	}
	at := func(file string, line, column int) Result {
		return result("", "a", func(r *Result) { r.Place = Place{File: file, Line: line, Column: column} })
	}
	sorted := Results{
		NewResult("", "of the run"),
		of(1, "a[2]", "", "a"),
		of(1, "a[10]", Error, "a"),
		of(1, "a[10]", "", "b"),
		of(1, "a[10]", Warning, "a"),
		of(1, "a[10]", Info, "a"),
		of(2, "", "", "a"),
		at("a.yaml", 0, 0),
		at("a.yaml", 2, 9),
		at("a.yaml", 10, 1),
		at("b.yaml", 0, 0),
	}
	random := checkout.Random(t)
	for range 20 {
		mixed := append(slices.Clone(sorted), sorted...)
		random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		assert.Equal(t, sorted, mixed.Sort())
	}
}

func TestResultsFailed(t *testing.T) {
	t.Parallel()
	assert.False(t, Results{}.Failed())
	assert.False(t, Results{NewResult(Warning, ""), NewResult(Info, "")}.Failed())
	assert.True(t, Results{NewResult(Info, ""), NewResult("", "")}.Failed())
	assert.True(t, Results{NewResult(Error, "")}.Failed())
}

func TestAt(t *testing.T) {
	t.Parallel()
	const item = `- apiVersion: v1
  kind: A
  metadata:
    name: a
    annotations:
      internal.config.kubernetes.io/path: a/b.yaml
      internal.config.kubernetes.io/index: "3"
  spec:
    x: 1
    y: [z]
`
	made := strings.Replace(item, "annotations:", "annotations:\n      kustomize.config.k8s.io/id: '1'", 1)
	list, err := Parse([]byte(head + "items:\n" + item + made))
	require.NoError(t, err)
	got := At(list.Items()[0], "spec.x", Warning, "m")
	ref := refTo("A", "a")
	assert.Equal(t, result(Warning, "m", func(r *Result) {
		r.ResourceRef, r.File, r.Place = &ref, &File{Path: "a/b.yaml", Index: 3}, Place{File: "a/b.yaml"}
		r.item = list.Items()[0]
		r.Field = &Field{Path: "spec.x", CurrentValue: "1"}
	}), got)
	got = At(list.Items()[1], "spec.y", Error, "m")
	assert.Nil(t, got.File)
	assert.Nil(t, got.Field.CurrentValue)
	assert.Equal(t, Place{}, got.Place)
	assert.Equal(t, 1, got.order)
	assert.Nil(t, At(list.Items()[0], "", Error, "m").Field)

	file := FromNode(parsed(t, "a: b\nc:\n- d\n"), "x.yaml")
	assert.Equal(t, Place{File: "x.yaml", Line: 3, Column: 3}, file.PlaceOf("c[0]"))
	assert.Equal(t, Place{File: "x.yaml", Line: 1, Column: 1}, At(file, "metadata.name", Error, "m").Place)
}

func nodesOf(t *testing.T, results Results) []*kyaml.Node {
	t.Helper()
	tree, err := results.tree()
	require.NoError(t, err)
	return tree.Content
}
