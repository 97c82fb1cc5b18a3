package function

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/edits"
)

// documents returns plugins and n sandboxes with random resources, each as a document.
func documents(random *rand.Rand, n int) []string {
	docs := []string{strings.SplitN(pluginAndSandbox, "---\n", 2)[0]}
	for _, version := range []string{"1.0.0", "1.1.0", "2.0.0"} {
		docs = append(docs, fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\n"+
			"metadata: {name: hello@%s}\nspec:\n  runner: {image: ubuntu, namespace: ns%d}\n"+
			"  create: [{name: say, script: \"#!/bin/sh\\necho %s\"}]\n"+
			"  delete: [{name: bye}]\n", version, random.IntN(2), version))
	}
	for i := range n {
		state, references := "present", []string{"pg", "hello", "hello@1.0.0", "hello@^1"}
		if random.IntN(2) == 0 { // the delete phase never floats
			state, references = "absent", []string{"pg", "hello@2.0.0", "hello@1.0.0", "hello@1.1"}
		}
		doc := fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata:\n  name: s%d\n  annotations: "+
			"{resourceplugins.dev/state: %s}\nspec:\n  cluster: c\n  resources:\n", i, state)
		resources := make([]string, 1+random.IntN(3))
		for r := range resources {
			resources[r] = fmt.Sprintf("  - {name: R%d, plugin: %q, params: {size: \"%d\"}}\n", r,
				references[random.IntN(len(references))], random.IntN(3))
		}
		docs = append(docs, doc+strings.Join(resources, ""))
	}
	return docs
}

func phaseList(docs []string) string {
	var out strings.Builder
	out.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, doc := range docs {
		out.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(doc), "\n", "\n  ") + "\n")
	}
	return out.String()
}

// Rendering the output again does not change a byte.
func TestPhaseTwiceIsOnce(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 30 {
		once := phaseRunList(t, phaseList(documents(random, random.IntN(6))))
		assert.Equal(t, phaseWithoutResults(once), phaseWithoutResults(phaseRunList(t, phaseWithoutResults(once))))
	}
}

// The order of the documents moves nothing but the documents themselves.
func TestPhaseOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 20 {
		docs := documents(random, 1+random.IntN(5))
		want := phaseObjects(phaseRunList(t, phaseList(docs)))
		random.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		assert.Equal(t, want, phaseObjects(phaseRunList(t, phaseList(docs))))
	}
}

// No two documents of a render have one kind, namespace and name, and no two one place in a file.
func TestEveryObjectIsThereOnce(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 10 {
		seen := map[string]bool{}
		for _, object := range phaseObjects(phaseRunList(t, phaseList(documents(random, 8)))) {
			var name, file []string
			for line := range strings.Lines(object) {
				switch {
				case strings.HasPrefix(line, "kind: "), strings.HasPrefix(line, "  name: "), strings.HasPrefix(line, "  namespace: "):
					name = append(name, line)
				case strings.Contains(line, "internal.config.kubernetes.io/"):
					file = append(file, line)
				}
			}
			for _, key := range []string{strings.Join(name, ""), strings.Join(file, "")} {
				require.False(t, seen[key], key)
				seen[key] = true
			}
		}
	}
}

func phaseRunList(t *testing.T, input string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Zero(t, renderphase.New().Run(t.Context(), nil, strings.NewReader(input), &stdout, &stderr), stderr.String())
	return stdout.String()
}

func phaseWithoutResults(text string) string {
	text, _, _ = strings.Cut(text, "\nresults:")
	return strings.TrimRight(text, "\n") + "\n"
}

// phaseObjects returns the rendered objects, sorted.
func phaseObjects(text string) []string {
	items := strings.Split(phaseWithoutResults(text), "\n- ")[1:]
	items = slices.DeleteFunc(items, func(item string) bool { return strings.Contains(item, "resourceplugins.dev/v1alpha1") })
	for i, item := range items {
		items[i] = strings.ReplaceAll(strings.TrimRight(item, "\n"), "\n  ", "\n")
	}
	slices.Sort(items)
	return items
}

func FuzzPhaseAnyDocument(f *testing.F) {
	f.Add(pluginAndSandbox)
	f.Add(strings.ReplaceAll(pluginAndSandbox, "pg", "PG"))
	f.Add(strings.ReplaceAll(pluginAndSandbox, "runner: {", "runner: {podTemplateOverlay: 'spec: {}', "))
	f.Fuzz(func(t *testing.T, text string) {
		var stdout, stderr bytes.Buffer
		code := renderphase.New().Run(t.Context(), []string{"-"}, strings.NewReader(text), &stdout, &stderr)
		require.NotContains(t, stderr.String(), "panic")
		if code == 0 && stdout.Len() > 0 && !strings.Contains(stdout.String(), "{") && strings.Contains(text, "Sandbox") {
			decodeIfOurs(t, stdout.String())
		}
	})
}

// decodeIfOurs decodes a render that has no documents but ours.
func decodeIfOurs(t *testing.T, documents string) {
	t.Helper()
	for document := range strings.SplitSeq(documents, "\n---\n") {
		if !strings.Contains(document, "app.kubernetes.io/managed-by: krm-functions") {
			return
		}
	}
	decodeStrictly(t, documents)
}

// A package that is rendered again after each of some edits is the same as one that is rendered once after all of them.
// Under kpt, configs without a name have the same one.
func TestRandomEditsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	for name, configs := range map[string][]string{
		"create":                            {"phases: [create]"},
		"delete":                            {"phases: [delete]"},
		"both":                              {"delivery: argocd, phases: [create, delete]"},
		"one after the other":               {"phases: [create]", "phases: [delete]"},
		"one after the other, delete first": {"phases: [delete]", "phases: [create]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			render := func(docs []string) []string {
				list := phaseList(docs)
				for _, config := range configs {
					list = phaseWithoutResults(phaseRunList(t, list+"functionConfig: {apiVersion: resourceplugins.dev/v1alpha1, kind: "+
						"RenderPhase, metadata: {name: function-input}, prune: true, "+config+"}\n"))
					list, _, _ = strings.Cut(list, "\nfunctionConfig:")
					list += "\n"
				}
				return phaseObjects(list)
			}
			random := checkout.Random(t)
			for round := range checkout.Rounds(20) {
				edited := edits.New(random.Uint64())
				var rendered []string
				for step := range 8 {
					edited.Edit()
					docs := edited.Documents()
					rendered = render(append(slices.Clone(docs), rendered...))
					require.Equal(t, render(docs), rendered, "round %d, step %d", round, step)
				}
			}
		})
	}
}
