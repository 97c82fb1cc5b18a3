package schemas

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The schemas of messages accept messages of kubebuilder and plugins, and reject fields that would be ignored.
func TestSchemasOfMessages(t *testing.T) {
	t.Parallel()
	for file, texts := range map[string]struct{ valid, invalid []string }{
		"pluginrequest.json": {
			[]string{
				`{"apiVersion": "v1alpha1", "args": null, "command": "init", "universe": {}}`,
				`{"apiVersion": "v1alpha1", "args": ["--kind", "A"], "command": "create api", "universe": {"PROJECT": ""},
				  "pluginChain": ["a/v1"], "config": {"version": "3", "resources": [{"api": {"namespaced": true}}]}}`,
			},
			[]string{
				`{"args": null, "command": "init"}`, `{"apiVersion": "v1alpha1", "command": "create"}`, `[]`,
				`{"apiVersion": "v1alpha1", "command": "init", "args": "--a"}`,
				`{"apiVersion": "v1alpha1", "command": "init", "universe": {"a": 1}}`,
			},
		},
		"pluginresponse.json": {
			[]string{
				`{}`, `{"apiVersion": "v1alpha1", "command": "flags", "flags": [{"Name": "a", "Type": "bool"}]}`,
				`{"error": true, "errorMsgs": ["no"]}`, `{"metadata": {"Description": "a"}, "universe": {"a": ""}, "deleted": ["b"]}`,
			},
			[]string{
				`{"error": true, "error_msg": "no"}`, `{"flags": [{"Name": "a", "Type": "text"}]}`, `{"flags": [{"Type": "bool"}]}`,
				`{"Universe": {}}`, `{"error": "true"}`, `null`,
			},
		},
	} {
		for _, text := range texts.valid {
			require.NoError(t, compile(t, file).Validate(parsed(t, text)), "%s: %s", file, text)
		}
		for _, text := range texts.invalid {
			assert.Error(t, compile(t, file).Validate(parsed(t, text)), "%s: %s", file, text)
		}
	}
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return value
}
