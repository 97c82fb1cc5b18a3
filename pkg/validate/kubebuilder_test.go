package validate_test

import (
	"maps"
	"reflect"

	"github.com/resource-plugins/krm-functions/kubebuilder"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const anExternal = "../../kubebuilder/testdata/externalplugin.yaml"

// The rules of the feature kubebuilder are tested like those of this package.
func init() {
	extensions = append(extensions, kubebuilder.Extension().Rules)
	fixtures[v1alpha1.Kind] = anExternal
	specTypes[anExternal] = reflect.TypeFor[v1alpha1.ExternalPluginSpec]()
	misplaced = append(misplaced, []string{"plugin-folder-program", "plugin-folder-entry", "response-echo", "response-error", "message-args", "flag-form"}...)
	limits[anExternal] = []limit{
		{".type", "plugin-folder-type", []string{"file", "folder", "link"}, []string{"dir", "File"}},
		{".request.apiVersion", "message-version", []string{"v1alpha1"}, []string{"v1", "V1alpha1"}},
		{".request.command", "message-command", []string{"delete", "create webhook"}, []string{"create", "Init", "alpha"}},
		{".flags[].Type", "flag-form", v1alpha1.FlagTypes(), []string{"integer", "String"}},
		{".flags[].Name", "flag-form", []string{"a", "a-b", "a.b"}, []string{"-a", "'--a'", "a b", "a=b"}},
	}
	requiredPaths[anExternal] = words(`spec.entries[].path spec.entries[].type spec.exchanges[].name spec.exchanges[].request
		spec.exchanges[].response spec.exchanges[].request.apiVersion spec.exchanges[].request.command
		spec.exchanges[].response.flags[].Name`)
	maps.Copy(lacking, map[krm.Path]lack{
		"spec.entries[2].executable":            {"plugin-folder-program", "spec.entries[2].executable"},
		"spec.exchanges[2].request.args":        {"message-args", "spec.exchanges[2].request.args"},
		"spec.exchanges[0].response.apiVersion": {"response-echo", "spec.exchanges[0].response.apiVersion"},
		"spec.exchanges[0].response.command":    {"response-echo", "spec.exchanges[0].response.command"},
		"spec.exchanges[1].response.apiVersion": {"response-echo", "spec.exchanges[1].response.apiVersion"},
		"spec.exchanges[1].response.command":    {"response-echo", "spec.exchanges[1].response.command"},
		"spec.exchanges[2].response.apiVersion": {"response-echo", "spec.exchanges[2].response.apiVersion"},
		"spec.exchanges[2].response.command":    {"response-echo", "spec.exchanges[2].response.command"},
		"spec.exchanges[3].response.apiVersion": {"response-echo", "spec.exchanges[3].response.apiVersion"},
		"spec.exchanges[3].response.command":    {"response-echo", "spec.exchanges[3].response.command"},
		"spec.exchanges[3].response.error":      {"response-error", "spec.exchanges[3].response.error"},
		"spec.exchanges[3].response.errorMsgs":  {"response-error", "spec.exchanges[3].response.errorMsgs"},
	})
	maps.Copy(uniqueness, map[string]unique{
		"spec.exchanges":                  {"exchange-unique", "name", nil},
		"spec.exchanges[].response.flags": {"flag-form", "Name", nil},
	})
}
