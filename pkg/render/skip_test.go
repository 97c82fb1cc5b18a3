package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The cleanup does not wait for a step that is given up, and removes all Secrets.
func TestSkippedDeleteStep(t *testing.T) {
	t.Parallel()
	given := testRequest
	given.Skipped = []string{"drop"}
	whole := rendered(t, read(t, "postgres"), v1alpha1.PhaseDelete, DefaultOptions(), testRequest)
	objects := rendered(t, read(t, "postgres"), v1alpha1.PhaseDelete, DefaultOptions(), given)
	assert.Len(t, ofKind(objects, "Job"), len(ofKind(whole, "Job"))-1)
	for _, o := range objects {
		assert.NotEqual(t, "drop", o.GetLabels()[contract.StepKey], o.GetName())
	}
	jobs := helperJobs(t, objects, contract.HelperCleanup)
	require.Len(t, jobs, 1)
	producers := map[string]string{}
	for _, producer := range planOf(t, jobs[0]).Producers {
		producers[producer.Step] = producer.Generation
	}
	want := map[string]string{}
	for _, producer := range planOf(t, helperJobs(t, whole, contract.HelperCleanup)[0]).Producers {
		want[producer.Step] = ""
	}
	assert.Equal(t, want, producers, "nothing is awaited, since drop is the only delete step")
	assert.Contains(t, rights(t, objects, jobs[0].Spec.Template.Spec.ServiceAccountName), "databases delete "+secretOf("drop"))
	assert.NotContains(t, rights(t, objects, jobs[0].Spec.Template.Spec.ServiceAccountName), "databases watch "+secretOf("drop"))
}

const skipPlugin = "apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: db@1.0.0}\nspec:\n" +
	"  runner: {image: busybox}\n  create:\n  - {name: make, script: \"#!/bin/sh\", outputs: [{name: o, valueFromPath: /tmp/o}]}\n" +
	"  delete:\n  - {name: drop, script: \"#!/bin/sh\", inputs: [{name: o, valueFromStep: {name: make, output: o}}], " +
	"outputs: [{name: p, valueFromPath: /tmp/p}]}\n" +
	"  - {name: tell, script: \"#!/bin/sh\", inputs: [{name: p, valueFromStep: {name: drop, output: p}}]}\n"

func TestPhases_skippedDeleteSteps(t *testing.T) {
	t.Parallel()
	const path = `resourceplugins.dev/v1alpha1/Sandbox/a metadata.annotations["resourceplugins.dev/skip-delete"]: `
	for value, want := range map[string][]string{
		"": nil,
		"r/drop, r/tell": {
			"[warning] " + path + `delete step "drop" of resource "r" is given up: what it would delete stays`,
			"[warning] " + path + `delete step "tell" of resource "r" is given up: what it would delete stays`,
		},
		"r/drop": {
			"[error] " + path + `must also have "r/tell", which reads outputs of "r/drop"`,
			"[warning] " + path + `delete step "drop" of resource "r" is given up: what it would delete stays`,
		},
		"r/make":  {"[error] " + path + `resource "r" has no delete step "make": its delete steps are "drop", "tell"`},
		"x/drop":  {"[error] " + path + `the sandbox must have the resource of "x/drop"`},
		"r":       {"[error] " + path + `must be RESOURCE/STEP, several separated by commas, not "r"`},
		"r/a/b, ": {"[error] " + path + `must be RESOURCE/STEP, several separated by commas, not "r/a/b"`},
	} {
		for _, state := range []string{"absent", "present"} {
			sandbox := "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: a, annotations: {resourceplugins.dev/state: " +
				state + ", resourceplugins.dev/skip-delete: \"" + value + "\"}}\nspec:\n  cluster: c\n  resources:\n  - {name: r, plugin: db@1.0.0}\n"
			var items []*krm.Item
			for _, text := range []string{skipPlugin, sandbox} {
				item, err := krm.NewItem([]byte(text))
				require.NoError(t, err)
				items = append(items, item)
			}
			list := krm.NewList(items...)
			options := DefaultOptions()
			options.Phases = []string{map[string]string{"absent": "delete", "present": "create"}[state]}
			_, err := Phases(list, options)
			require.NoError(t, err)
			var got []string
			for _, result := range list.Results() {
				if result.Severity != krm.Info {
					got = append(got, result.String())
				}
			}
			isOfForm := value == "" || strings.HasPrefix(value, "r/") && value != "r/a/b, "
			if state == "present" && isOfForm { // create phases do not need to know which steps there are
				assert.Empty(t, got, value)
				continue
			}
			assert.ElementsMatch(t, want, got, value)
		}
	}
}
