package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Steps, resources and sandboxes multiply each other. If the objects would become too large, that is an error, the same
// each time, and nothing is rendered.
func TestPhases_tooLarge(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "renders phases of the largest sizes")
	var steps, resources strings.Builder
	for i := range 200 {
		fmt.Fprintf(&steps, "    - {name: s%d, script: \"#!/bin/sh\"}\n", i)
		fmt.Fprintf(&resources, "    - {name: r%d, plugin: db, params: {unknown: x}}\n", i)
	}
	text := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" +
		"- apiVersion: resourceplugins.dev/v1alpha1\n  kind: ResourcePlugin\n  metadata: {name: db}\n  spec:\n" +
		"    runner: {image: alpine}\n    create:\n" + steps.String() +
		"- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Sandbox\n  metadata: {name: sb}\n  spec:\n" +
		"    cluster: c\n    resources:\n" + resources.String()
	for range 3 {
		list, err := krm.Parse([]byte(text))
		require.NoError(t, err)
		summary, err := Phases(list, DefaultOptions())
		require.NoError(t, err)
		assert.Zero(t, summary.Workloads)
		require.Len(t, list.Items(), 2)
		var errors []string
		for _, result := range list.Results() {
			if result.Severity == krm.Error {
				errors = append(errors, result.Message)
			}
		}
		assert.Equal(t, []string{"all rendered objects must have at most 16 MiB, or 500 times the size of the list: " +
			"render fewer sandboxes at once, or with fewer resources, steps or forks"}, errors)
	}
}
