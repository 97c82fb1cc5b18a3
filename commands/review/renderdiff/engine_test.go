package renderdiff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/review/renderdiff"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engine/tekton"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// sideOfEngine renders documents for an engine.
func sideOfEngine(t *testing.T, name, helperImage string, documents ...string) []*krm.Item {
	t.Helper()
	chain := build.New()
	chain.Render.Engine, chain.Render.HelperImage = name, helperImage
	if name == tekton.Name {
		chain.Render.TTLSecondsAfterFinished = -1
	}
	result, err := chain.Run(krm.NewList(itemsOf(t, documents...)...))
	require.NoError(t, err)
	require.NotEmpty(t, result.Objects)
	return result.Objects
}

// With an engine the same steps run again for the same reasons as with Jobs, and besides those without outputs of a phase of
// which anything has changed.
func TestCompare_enginesAgreeWithJobs(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "renders after each of many edits")
	random, equal, bare := checkout.Random(t), 0, 0
	for round := range checkout.Rounds(40) {
		before := newModel()
		after := before
		for n := range 1 + random.IntN(2) {
			modelEdits[random.IntN(len(modelEdits))](&after, 200+n)
		}
		absent := random.IntN(3) == 0
		oldDocuments, newDocuments := before.documents(absent), after.documents(absent)
		oldItems, newItems := itemsOf(t, oldDocuments...), itemsOf(t, newDocuments...)
		for _, name := range []string{argo.Name, tekton.Name} {
			for mode, documents := range map[string][2][]*krm.Item{"documents": {oldItems, newItems}, "objects": {}, "live": {}} {
				compare := func(engine string) map[string]renderdiff.Step {
					old := sideOfEngine(t, engine, before.helperImage, oldDocuments...)
					is := sideOfEngine(t, engine, after.helperImage, newDocuments...)
					side := renderdiff.NewSide("old", old, documents[0])
					if mode == "live" {
						side = renderdiff.NewLiveSide("dump", alive(t, old))
					}
					report, err := renderdiff.Compare(side, renderdiff.NewSide("new", is, documents[1]), renderdiff.Options{})
					require.NoError(t, err)
					return runs(report)
				}
				jobs, tasks := compare(jobs.Name), compare(name)
				at := fmt.Sprintf("round %d, %s, %s", round, name, mode)
				for key, want := range jobs {
					got, step := tasks[key], key[strings.LastIndex(key, "/")+1:]
					if want.Run == renderdiff.Again || slices.Contains(publishing, step) {
						equal++
						assert.Equal(t, want.Run, got.Run, "%s: %s", at, key)
						assert.Equal(t, ofGenerations(want), ofGenerations(got), "%s: %s", at, key)
					}
				}
				for key, got := range tasks {
					if want := jobs[key]; got.Run == renderdiff.Again && want.Run != renderdiff.Again {
						bare++
						assert.NotContains(t, publishing, key[strings.LastIndex(key, "/")+1:], at)
						assert.Empty(t, ofGenerations(got), "%s: %s", at, key)
						assert.NotEmpty(t, got.Reasons, "%s: %s", at, key)
					}
				}
			}
		}
	}
	assert.Greater(t, equal, 500)
	assert.Greater(t, bare, 10)
}

// ofGenerations are the reasons of another generation.
func ofGenerations(step renderdiff.Step) []string {
	return slices.DeleteFunc(reasonsOf(step), func(reason string) bool { return slices.Contains(ofJobs, reason) })
}

// Another engine runs no step again that publishes, and shows nothing that only the engines do in their own ways.
func TestCompare_changesEngine(t *testing.T) {
	t.Parallel()
	documents := newModel().documents(false)
	sides := map[string]*renderdiff.Side{}
	for _, name := range []string{jobs.Name, argo.Name, tekton.Name} {
		sides[name] = renderdiff.NewSide(name, sideOfEngine(t, name, newModel().helperImage, documents...), nil)
	}
	got := text(t, sides[jobs.Name], sides[argo.Name])
	assert.Contains(t, got, "create/plain  runs again: its Workflow changed (kind); it publishes no outputs, so only its "+
		"Workflow records that it ran\n")
	assert.Contains(t, got, "kind Job -> Workflow: 3 objects\n")
	assert.NotContains(t, got, "create/make")
	got = text(t, sides[tekton.Name], sides[jobs.Name])
	assert.Contains(t, got, "kind PipelineRun -> Job: 3 objects\n")
	assert.Contains(t, text(t, sides[argo.Name], sides[argo.Name]), "no difference")
}

// Params are behind a ConfigMap: without it they are not known, and nothing else is made up.
func TestCompare_enginesWithoutConfigMaps(t *testing.T) {
	t.Parallel()
	before, after := newModel(), newModel()
	after.size = "2"
	for _, name := range []string{argo.Name, tekton.Name} {
		old := alive(t, sideOfEngine(t, name, before.helperImage, before.documents(false)...))
		old = slices.DeleteFunc(old, func(item *krm.Item) bool { return item.Kind() == "ConfigMap" })
		is := sideOfEngine(t, name, after.helperImage, after.documents(false)...)
		report, err := renderdiff.Compare(renderdiff.NewLiveSide("dump", old), renderdiff.NewSide("new", is, nil), renderdiff.Options{})
		require.NoError(t, err)
		step := runs(report)["s/db/create/make"]
		assert.Equal(t, renderdiff.Again, step.Run, name)
		assert.Contains(t, reasonsOf(step), "unknown", name)
		assert.Contains(t, strings.Join(report.NotCompared, "\n"), "params, since dump does not have ConfigMap", name)
	}
}

// A resource whose Workflow or PipelineRun is the same on both sides keeps its sandbox from coming and going.
func TestCompare_looksAmongUnchangedWorkloads(t *testing.T) {
	t.Parallel()
	more := "  - {name: more, plugin: pg@1.0.0, params: {size: \"1\", color: \"1\"}}\n"
	for _, name := range []string{jobs.Name, argo.Name, tekton.Name} {
		of := func(documents ...string) *renderdiff.Side {
			return renderdiff.NewSide(name, sideOfEngine(t, name, newModel().helperImage, documents...), nil)
		}
		for _, absent := range []bool{false, true} {
			documents := newModel().documents(absent)
			got := text(t, of(documents...), of(documents[0], documents[1]+more))
			assert.Contains(t, got, "sandbox s\n  + resource more: pg@1.0.0\n", "%s, absent %v", name, absent)
			got = text(t, of(documents[0], documents[1]+more), of(documents...))
			assert.Contains(t, got, "sandbox s\n  - resource more: pg@1.0.0 is removed", "%s, absent %v", name, absent)
		}
	}
}

// A dump may have objects that controllers have created from workloads: Pods and TaskRuns with the labels of steps.
// They are not rendered.
func TestCompare_ignoresWhatHasAnOwner(t *testing.T) {
	t.Parallel()
	is := sideOfEngine(t, tekton.Name, newModel().helperImage, newModel().documents(false)...)
	var made []*krm.Item
	for _, kind := range []string{"apiVersion: v1\nkind: Pod", "apiVersion: tekton.dev/v1\nkind: TaskRun"} {
		made = append(made, itemsOf(t, kind+`
metadata:
  name: made
  namespace: ns
  labels:
    app.kubernetes.io/managed-by: krm-functions
    resourceplugins.dev/sandbox: s
    resourceplugins.dev/resource: db
    resourceplugins.dev/phase: create
    resourceplugins.dev/step: plain
  ownerReferences: [{apiVersion: tekton.dev/v1, kind: PipelineRun, name: x, uid: x}]
spec: {containers: [{name: main, image: other}]}
`)...)
	}
	live := renderdiff.NewLiveSide("dump", slices.Concat(alive(t, is), made))
	report, err := renderdiff.Compare(live, renderdiff.NewSide("new", is, nil), renderdiff.Options{})
	require.NoError(t, err)
	assert.Empty(t, runs(report))
	assert.Empty(t, report.Objects)
}
