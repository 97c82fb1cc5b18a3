package validate_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// FuzzCheck checks any YAML: it must not panic, and each call must return the same complete findings.
func FuzzCheck(f *testing.F) {
	for _, file := range slices.Sorted(maps.Values(fixtures)) {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(text))
	}
	const head = "apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: a@1}\n"
	f.Add(head + "spec: {runner: {image: '@{x}', podTemplateOverlay: '&a [*a]'}, create: [{name: a, inputs: [{}, {as: {}}]}]}")
	f.Add(head + "spec: {runner: [], create: {}, delete: [null, 1, {name: b, script: \"#!\\r\\n\"}], ? [x] : y}")
	f.Add(head + "spec: # krm-functions: ignore type,, ,required , \xff\n  # krm-functions:\n  # krm-functions: ignore")
	f.Add(strings.Replace(head, "ResourcePlugin", "Sandbox", 1) + "spec: {cluster: '', local: [{}], labels: {\"a]b\": c}, " +
		"forks: [{customizations: {patch: {type: json, value: '[{op: add}]'}}}]}")
	f.Fuzz(func(t *testing.T, text string) {
		options := validate.Options{Extensions: extensions}
		check := func() krm.Results {
			item, err := krm.NewItem([]byte(text))
			if err != nil {
				return nil
			}
			list := krm.NewList(item)
			report, err := validate.Check(list, options)
			require.NoError(t, err)
			kept, _ := validate.Suppress(list, report.Results, options)
			return kept
		}
		results := check()
		for _, result := range results {
			assert.NotEmpty(t, result.Message)
			assert.NotContains(t, result.Message, "\n")
			rule := allRules().Find(result.Tags[krm.RuleTag])
			require.NotNil(t, rule, result.Tags[krm.RuleTag])
			assert.Equal(t, rule.ConcernsComments(), result.Field == nil, result.Message)
		}
		assert.Equal(t, results, check())
	})
}
