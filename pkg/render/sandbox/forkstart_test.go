package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

const afterCreate = "resourceplugins.dev/fork-start: after-create"

// readsNothing is a sandbox whose fork reads no outputs.
func readsNothing(annotations string) string {
	return strings.Replace(forkReading("make.url", "1", annotations), "    customizations: {env: [", "    customizations: {env: [{name: A, value: a}] } #", 1)
}

// A fork that starts after the create steps waits for a key that the last ones publish: in its first init container, or if it
// has none in all containers.
func TestRender_forksAfterCreate(t *testing.T) {
	t.Parallel()
	phases, err := render.Phases(list(t, publishing, readsNothing(afterCreate)), render.DefaultOptions())
	require.NoError(t, err)
	var want [2]string
	for _, item := range phases.Objects {
		if item.Kind() == "Secret" {
			generation, _ := item.Annotation(contract.GenerationKey)
			want = [2]string{item.Name(), contract.CreatedKey(generation)}
		}
	}
	require.NotEmpty(t, want[0])

	withInit := strings.Replace(routedWeb, "containers:", "initContainers: [{name: i, image: x}, {name: j, image: x}], containers:", 1)
	require.NotEqual(t, routedWeb, withInit)
	for name, c := range map[string]struct {
		baseline string
		waiting  []string
	}{"init containers": {withInit, []string{"i"}}, "none": {routedWeb, []string{"c"}}} {
		all := list(t, routedService80, c.baseline, publishing, readsNothing(afterCreate))
		summary, err := Render(all, DefaultOptions())
		require.NoError(t, err)
		require.False(t, all.Results().Failed(), all.Results())
		var waiting []string
		for _, item := range summary.Objects {
			o, err := render.ReadObject(item)
			require.NoError(t, err)
			for _, container := range containers(o) {
				for _, variable := range children(container, "env") {
					if reference := child(variable, "valueFrom", "secretKeyRef"); reference != nil {
						assert.Equal(t, contract.CreatedVariable(0), text(variable, "name"))
						assert.Equal(t, want, [2]string{text(reference, "name"), text(reference, "key")}, name)
						waiting = append(waiting, text(container, "name"))
					}
				}
			}
		}
		assert.Equal(t, c.waiting, waiting, name)
	}

	all := list(t, routedService80, routedWeb, readsNothing(afterCreate))
	_, err = Render(all, DefaultOptions())
	require.NoError(t, err)
	require.True(t, all.Results().Failed())
	assert.Contains(t, fmt.Sprint(all.Results()), `the plugin of resource "db" must be in the list`)
}

// The Pods that a delete phase waits for are those of the forks, even if kustomize has renamed and moved the baseline.
func TestRender_deletePhaseWaitsForItsForks(t *testing.T) {
	t.Parallel()
	renamed := strings.NewReplacer("name: web", "name: pre-web", "namespace: shop", "namespace: store", "metadata: {", "metadata: {annotations: "+
		"{internal.config.kubernetes.io/previousNames: web, internal.config.kubernetes.io/previousNamespaces: shop}, ").Replace(routedWeb)
	for name, baseline := range map[string]string{"plain": routedWeb, "renamed": renamed} {
		forks, err := Render(list(t, baseline, publishing, readsNothing("")), DefaultOptions())
		require.NoError(t, err)
		fork := ""
		for _, item := range forks.Objects {
			if item.Kind() == deployment {
				fork = item.Namespace() + "/" + item.Name()
			}
		}
		require.NotEmpty(t, fork, name)
		options := render.DefaultOptions()
		options.Delivery = "flux"
		absent := readsNothing("resourceplugins.dev/state: absent")
		plugin := publishing + "  delete: [{name: drop, script: \"#!/bin/sh\"}]\n"
		phases, err := render.Phases(list(t, baseline, plugin, absent), options)
		require.NoError(t, err)
		var counted []string
		for _, item := range phases.Objects {
			if item.Kind() != "PodDisruptionBudget" {
				continue
			}
			o, err := render.ReadObject(item)
			require.NoError(t, err)
			values, _ := children(o, "spec", "selector", "matchExpressions")[0]["values"].([]any)
			counted = append(counted, fmt.Sprint(item.Namespace(), "/", values[0]))
		}
		assert.Contains(t, counted, fork, name)
	}
}
