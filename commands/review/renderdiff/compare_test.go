package renderdiff_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/review/renderdiff"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// text compares two sides and returns the report as text.
func text(t *testing.T, before, after *renderdiff.Side) string {
	t.Helper()
	report, err := renderdiff.Compare(before, after, renderdiff.Options{})
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, report.Write(&out, renderdiff.Text))
	return out.String()
}

func newSide(t *testing.T, name string, documents ...string) *renderdiff.Side {
	t.Helper()
	return renderdiff.NewSide(name, sideOf(t, contract.RuntimeImage, documents...), itemsOf(t, documents...))
}

// A Secret is named after the sandbox's id, the resource and the step alone: another plugin with a step of the name takes
// it over, and so does another sandbox with the id.
func TestCompare_secretsChangeHands(t *testing.T) {
	t.Parallel()
	m := newModel()
	m.id = "shared-id"
	documents := m.documents(false)
	other := slices.Clone(documents)
	for i := range other {
		other[i] = strings.NewReplacer(`"pg@`, `"maria@`, "plugin: pg@", "plugin: maria@").Replace(other[i])
	}
	got := text(t, newSide(t, "old", documents...), newSide(t, "new", other...))
	assert.Contains(t, got, ": published by s/db create/make (maria), before by s/db create/make (pg)\n")
	assert.Contains(t, got, "maria pg@1.0.0 -> 1.0.0: 1 resource")

	renamed := slices.Clone(documents)
	renamed[1] = strings.Replace(renamed[1], "name: s\n", "name: other\n", 1)
	got = text(t, newSide(t, "old", documents...), newSide(t, "new", renamed...))
	assert.Contains(t, got, ": published by other/db create/make (pg), before by s/db create/make (pg)\n")
	assert.Contains(t, got, "sandbox other: is added\n")
	assert.Contains(t, got, "sandbox s: is removed without its delete phase")
}

// A sandbox some of whose objects differ is neither added nor removed.
func TestCompare_looksAmongUnchangedObjects(t *testing.T) {
	t.Parallel()
	m := newModel()
	documents := m.documents(false)
	second := strings.Replace(documents[1], "params: {size", "params: {color: \"2\", size", 1)
	second = strings.Replace(second, ", color: \"red\"", "", 1) +
		"  - {name: more, plugin: pg@1.0.0, params: {size: \"1\", color: \"1\"}}\n"
	second = strings.Replace(second, "params: {color: \"2\"", "params: {color: \"red\"", 1)
	got := text(t, newSide(t, "old", documents...), newSide(t, "new", documents[0], second))
	assert.Contains(t, got, "old -> new: 1 sandbox changed, 3 steps to run\nsandbox s\n  + resource more: pg@1.0.0\n")
	got = text(t, newSide(t, "old", documents[0], second), newSide(t, "new", documents...))
	assert.Contains(t, got, "  - resource more: pg@1.0.0 is removed without its delete phase: its external resources are leaked\n")
}

// Forks and their Services are added, changed and removed with their sandbox; fields are listed.
func TestCompare_forks(t *testing.T) {
	t.Parallel()
	baseline := `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "web:1"}
`
	sandbox := `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: s}
spec:
  cluster: c
  forks:
  - forkOf: {kind: Deployment, namespace: shop, name: web}
    customizations:
      images: [{image: "web:2"}]
`
	none := newSide(t, "none")
	old := newSide(t, "old", baseline, sandbox)
	got := text(t, none, old)
	assert.Contains(t, got, "sandbox s: is added\n  + fork Deployment shop/web-s-")
	assert.Contains(t, got, ", of Deployment/web\n")
	got = text(t, old, newSide(t, "new", baseline, strings.Replace(sandbox, "web:2", "web:3", 1)))
	assert.Contains(t, got, "sandbox s\n  ~ fork Deployment shop/web-s-")
	assert.Contains(t, got, ", of Deployment/web: spec.template.spec.containers[web].image\n")
	assert.Contains(t, text(t, old, none), "sandbox s: is removed\n  - fork Deployment shop/web-s-")
}

// A cluster may have removed Jobs that have ended: the Secret still says which generation was rendered.
func TestCompare_jobsThatAreGone(t *testing.T) {
	t.Parallel()
	before, after := newModel(), newModel()
	dump := slices.DeleteFunc(alive(t, sideOf(t, contract.RuntimeImage, before.documents(false)...)), func(item *krm.Item) bool {
		return item.Kind() == "Job"
	})
	live := renderdiff.NewLiveSide("dump", dump)
	report, err := renderdiff.Compare(live, newSide(t, "new", after.documents(false)...), renderdiff.Options{})
	require.NoError(t, err)
	changes := runs(report)
	assert.NotContains(t, changes, "s/db/create/make", "it is published")
	assert.Equal(t, renderdiff.First, changes["s/warm/create/plain"].Run, "nothing says that it has run")

	after.size = "2"
	report, err = renderdiff.Compare(live, newSide(t, "new", after.documents(false)...), renderdiff.Options{})
	require.NoError(t, err)
	changes = runs(report)
	assert.Equal(t, renderdiff.Again, changes["s/db/create/make"].Run)
	assert.Equal(t, renderdiff.ReasonUnknown, changes["s/db/create/make"].Reasons[0].Kind)
	assert.Contains(t, report.NotCompared, "step create/make of s/db except its generation, since dump does not have its Job")
}

// The values of params are shown if that is asked for, and those of Secrets never.
func TestCompare_values(t *testing.T) {
	t.Parallel()
	before, after := newModel(), newModel()
	before.size, after.size = "hunter1", "hunter2"
	old := renderdiff.NewLiveSide("dump", alive(t, sideOf(t, contract.RuntimeImage, before.documents(false)...)))
	is := newSide(t, "new", after.documents(false)...)
	for _, show := range []bool{false, true} {
		report, err := renderdiff.Compare(old, is, renderdiff.Options{ShowValues: show})
		require.NoError(t, err)
		for _, format := range renderdiff.Formats {
			var out strings.Builder
			require.NoError(t, report.Write(&out, format))
			assert.Equal(t, show, strings.Contains(out.String(), "hunter"), format)
			assert.NotContains(t, out.String(), "c2VjcmV0")
			assert.NotContains(t, out.String(), "secret\"")
		}
	}
}

// A comment has a limit: lines that are left out are counted.
func TestReport_markdownHasALimit(t *testing.T) {
	t.Parallel()
	report := &renderdiff.Report{Before: "a", After: "b"}
	for range 3000 {
		report.Versions = append(report.Versions, renderdiff.Version{Plugin: strings.Repeat("x", 60), Before: "1", After: "2"})
	}
	var out strings.Builder
	require.NoError(t, report.Write(&out, renderdiff.Markdown))
	assert.Less(t, out.Len(), 61_000)
	assert.Contains(t, out.String(), "more lines are left out, since a comment must not be longer: see `rplug diff`.\n")
}

// A sandbox that has lost its last resource is changed, not removed, if its document is known.
func TestCompare_lastResource(t *testing.T) {
	t.Parallel()
	m := newModel()
	documents := m.documents(false)
	empty := documents[1][:strings.Index(documents[1], "  resources:")] + "  resources: []\n"
	got := text(t, newSide(t, "old", documents...), newSide(t, "new", documents[0], empty))
	assert.Contains(t, got, "old -> new: 1 sandbox changed")
	assert.Contains(t, got, "sandbox s\n  - resource db: pg@1.0.0 is removed without its delete phase: its external resources are leaked\n")
	got = text(t, newSide(t, "new", documents[0], empty), newSide(t, "old", documents...))
	assert.Contains(t, got, "new -> old: 1 sandbox changed")
	got = text(t, newSide(t, "old", documents...), newSide(t, "new", documents[0]))
	assert.Contains(t, got, "old -> new: 1 sandbox removed")
}
