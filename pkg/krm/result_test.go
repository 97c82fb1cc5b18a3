package krm

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/yaml"
)

func TestResultsShape(t *testing.T) {
	t.Parallel()
	results := Results{
		{Message: "plain"},
		{
			Message: "`a` must be: \"b\"\nnot c\x7f", Severity: Error,
			ResourceRef: &ResourceRef{APIVersion: "v1", Kind: "A", Name: "a", Namespace: "n"},
			Field:       &Field{Path: "spec.a[0]", CurrentValue: "yes", ProposedValue: 3},
			File:        &File{Path: "a/b.yaml", Index: 2},
			Tags:        map[string]string{"rule": "x", "1": "", "a b": "c"},
		},
		{Message: "short", Severity: Info, ResourceRef: &ResourceRef{}, Field: &Field{CurrentValue: true}, File: &File{}},
	}
	assert.Equal(t, `results:
- message: plain
- message: "`+"`a`"+` must be: \"b\"\nnot c\u007f"
  severity: error
  resourceRef:
    apiVersion: v1
    kind: A
    name: a
    namespace: "n"
  field:
    path: "spec.a[0]"
    currentValue: "yes"
    proposedValue: 3
  file:
    path: a/b.yaml
    index: 2
  tags:
    "1": ""
    "a b": c
    rule: x
- message: short
  severity: info
  resourceRef:
    apiVersion: ""
    kind: ""
    name: ""
  field:
    path: ""
    currentValue: true
  file:
    path: ""
`, results.yaml())
	fromYAML, err := yaml.YAMLToJSON([]byte(results.yaml()))
	require.NoError(t, err)
	text, err := results.json()
	require.NoError(t, err)
	assert.JSONEq(t, string(fromYAML), `{"results":`+text+"}")
}

// The framework that most functions are built with reads our results.
func TestResultsForPeers(t *testing.T) {
	t.Parallel()
	list := NewList()
	list.Report(Result{Message: "a", Field: &Field{Path: "b", CurrentValue: "1"}, File: &File{Path: "c", Index: 1},
		ResourceRef: &ResourceRef{APIVersion: "v1", Kind: "K", Name: "n"}, Tags: map[string]string{"x": "y"}, Severity: Warning})
	var got struct {
		Results framework.Results `json:"results"`
	}
	require.NoError(t, yaml.UnmarshalStrict([]byte(list.Results().yaml()), &got))
	require.Len(t, got.Results, 1)
	assert.Equal(t, framework.Warning, got.Results[0].Severity)
	assert.Equal(t, "1", got.Results[0].Field.CurrentValue)
	assert.Equal(t, 1, got.Results[0].File.Index)
	assert.Equal(t, "n", got.Results[0].ResourceRef.Name)
}

func TestResultsSort(t *testing.T) {
	t.Parallel()
	ref := &ResourceRef{Kind: "A"}
	sorted := Results{
		{Message: "of the run"},
		{Message: "a", order: 1, Field: &Field{Path: "a[2]"}},
		{Message: "a", order: 1, Field: &Field{Path: "a[10]"}, Severity: Error},
		{Message: "b", order: 1, Field: &Field{Path: "a[10]"}},
		{Message: "a", order: 1, Field: &Field{Path: "a[10]"}, Severity: Warning},
		{Message: "a", order: 1, Field: &Field{Path: "a[10]"}, Severity: Info},
		{Message: "a", order: 2, ResourceRef: ref},
		{Message: "a", Place: Place{File: "a.yaml"}},
		{Message: "a", Place: Place{File: "a.yaml", Line: 2, Column: 9}},
		{Message: "a", Place: Place{File: "a.yaml", Line: 10, Column: 1}},
		{Message: "a", Place: Place{File: "b.yaml"}},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		mixed := append(slices.Clone(sorted), sorted...)
		random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		assert.Equal(t, sorted, mixed.Sort())
	}
}

func TestResultsFailed(t *testing.T) {
	t.Parallel()
	assert.False(t, Results{}.Failed())
	assert.False(t, Results{{Severity: Warning}, {Severity: Info}}.Failed())
	assert.True(t, Results{{Severity: Info}, {}}.Failed())
	assert.True(t, Results{{Severity: Error}}.Failed())
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
	result := At(list.Items()[0], "spec.x", Warning, "m")
	assert.Equal(t, Result{
		Message: "m", Severity: Warning, ResourceRef: &ResourceRef{APIVersion: "v1", Kind: "A", Name: "a"},
		Field: &Field{Path: "spec.x", CurrentValue: "1"}, File: &File{Path: "a/b.yaml", Index: 3}, Place: Place{File: "a/b.yaml"},
	}, result)
	result = At(list.Items()[1], "spec.y", Error, "m")
	assert.Nil(t, result.File)
	assert.Nil(t, result.Field.CurrentValue)
	assert.Equal(t, Place{}, result.Place)
	assert.Equal(t, 1, result.order)
	assert.Nil(t, At(list.Items()[0], "", Error, "m").Field)

	file := FromNode(parsed(t, "a: b\nc:\n- d\n"), "x.yaml")
	assert.Equal(t, Place{File: "x.yaml", Line: 3, Column: 3}, file.PlaceOf("c[0]"))
	assert.Equal(t, Place{File: "x.yaml", Line: 1, Column: 1}, At(file, "metadata.name", Error, "m").Place)
}
