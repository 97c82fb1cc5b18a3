package validate_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// FuzzCheck feeds anything that is YAML: no panic, every finding complete, the same findings every time.
func FuzzCheck(f *testing.F) {
	for _, file := range []string{aPlugin, aSandbox, aRouteGroup} {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(text))
	}
	const head = "apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: a@1}\n"
	f.Add(head + "spec: {runner: {image: '@{x}', podTemplateOverlay: '&a [*a]'}, create: [{name: a, inputs: [{}, {as: {}}]}]}")
	f.Add(head + "spec: {runner: [], create: {}, delete: [null, 1, {name: b, script: \"#!\\r\\n\"}], ? [x] : y}")
	f.Add(strings.Replace(head, "ResourcePlugin", "Sandbox", 1) + "spec: {cluster: '', local: [{}], labels: {\"a]b\": c}, " +
		"forks: [{customizations: {patch: {type: json, value: '[{op: add}]'}}}]}")
	f.Fuzz(func(t *testing.T, text string) {
		check := func() krm.Results {
			item, err := krm.NewItem([]byte(text))
			if err != nil {
				return nil
			}
			report, err := validate.Check(krm.NewList(item), validate.Options{})
			require.NoError(t, err)
			return report.Results
		}
		results := check()
		for _, result := range results {
			assert.NotEmpty(t, result.Message)
			assert.NotContains(t, result.Message, "\n")
			assert.NotNil(t, validate.Find(result.Tags["rule"]), result.Tags["rule"])
			require.NotNil(t, result.Field, result.Message)
		}
		assert.Equal(t, results, check())
	})
}
