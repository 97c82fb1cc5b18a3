package schemas

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	external "github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// document is a kind with a spec.
type document struct {
	kind, folder, spec string
	limits             func() map[string]limit
	native             bool // it also has the native form
}

var documents = []document{
	{contract.ResourcePlugin, "api/v1alpha1", "ResourcePluginSpec", pluginLimits, true},
	{contract.Sandbox, "api/v1alpha1", "SandboxSpec", sandboxLimits, true},
	{contract.RouteGroup, "api/v1alpha1", "RouteGroupSpec", routeGroupLimits, true},
	{contract.Catalog, "api/v1alpha1", "CatalogSpec", catalogLimits, false},
	{contract.PluginLock, "api/v1alpha1", "PluginLockSpec", lockLimits, false},
	{contract.PluginTest, "api/v1alpha1", "PluginTestSpec", testLimits, false},
	{contract.OutputSecret, "api/v1alpha1", "OutputSecretSpec", outputSecretLimits, false},
	{external.Kind, "kubebuilder/v1alpha1", "ExternalPluginSpec", externalPluginLimits, false},
}

// message returns the schema of a message.
func message(t *testing.T, kind string, limits map[string]limit) object {
	t.Helper()
	types := readSource(t, "kubebuilder/v1alpha1")
	b := &builder{t: t, types: types, form: krmForm, limits: limits, used: map[string]bool{}}
	all := b.structure(kind, "", "", true)
	return append(object{{"$schema", draft}, {"title", kind + " of an external plugin of kubebuilder"}}, all...)
}

const draft = "http://json-schema.org/draft-07/schema#"

// written returns the schema of a document in one form.
func (d document) written(t *testing.T, form form) object {
	t.Helper()
	b := &builder{t: t, types: readSource(t, d.folder, "kubebuilder/v1alpha1"), form: form, limits: d.limits(), used: map[string]bool{}}
	spec := b.structure(d.spec, "spec", "", true)
	name := b.assemble("name", "string", "The name of the "+d.kind+".", true, nil)
	metadata := object{{"name", name}}
	if _, isNamespaced := b.limits["namespace"]; isNamespaced {
		namespace := b.assemble("namespace", "string", "The namespace of the "+d.kind+".", true, nil)
		metadata = append(metadata, member{"namespace", namespace})
	}
	for path := range b.limits {
		assert.True(t, b.used[path], "%s: no field is at %s", d.kind, path)
	}
	if form == nativeForm {
		return finish(object{
			{"$schema", draft}, {"title", d.kind + ", native form"}, {"description", withArticle(d.kind) + " as `name` and `spec`."},
			{"type", "object"}, {"properties", object{{"name", name}, {"spec", spec}}}, {"required", []string{"name", "spec"}},
		}, b.definitions)
	}
	return finish(append(envelope(d.kind, metadata, object{{"spec", spec}}),
		member{"required", []string{"apiVersion", "kind", "metadata", "spec"}}), b.definitions)
}

func finish(schema, definitions object) object {
	if definitions != nil {
		schema = append(schema, member{"definitions", definitions})
	}
	return schema
}

func withArticle(kind string) string {
	if strings.ContainsRune("AEIO", rune(kind[0])) {
		return "An " + kind
	}
	return "A " + kind
}

// envelope returns the common part of all KRM objects, with the required fields of metadata and additional properties.
func envelope(kind string, identity, properties object) object {
	required := make([]string, len(identity))
	for i, one := range identity {
		required[i] = one.key
	}
	texts := object{{"type", []string{"object", "null"}}, {"additionalProperties", object{{"type", "string"}}}}
	metadata := object{
		{"type", "object"},
		{"properties", append(identity, object{{"labels", texts}, {"annotations", texts}}...)},
		{"required", required},
	}
	return object{
		{"$schema", draft}, {"title", kind}, {"description", withArticle(kind) + " of " + contract.APIVersion + "."},
		{"type", "object"},
		{"properties", append(object{
			{"apiVersion", object{{"const", contract.APIVersion}}}, {"kind", object{{"const", kind}}}, {"metadata", metadata},
		}, properties...)},
	}
}

// configs are the function configs: kind and folder of the function.
var configs = []struct{ kind, folder string }{
	{"ImportPlugin", "functions/import-plugin"},
	{"RenderPhase", "functions/render-phase"},
	{"RenderSandbox", "functions/render-sandbox"},
	{"ResolveVersion", "functions/resolve-version"},
	{"ValidatePlugin", "functions/validate-plugin"},
}

func config(t *testing.T, kind string) object {
	t.Helper()
	anyName := object{{"name", object{{"type", "string"}, {"minLength", 1}}}}
	return append(envelope(kind, anyName, fields(t, kind)),
		member{"required", []string{"apiVersion", "kind", "metadata"}}, member{"additionalProperties", false})
}

// project returns the schema of the project file, which has no metadata.
func project(t *testing.T) object {
	t.Helper()
	allowed := map[string]bool{}
	for _, f := range []cli.Function{resolveversion.New(), renderphase.New(), rendersandbox.New()} {
		for _, flag := range f.Flags() {
			allowed[flag.Key] = true
		}
	}
	all := envelope(contract.Project, nil, fields(t, contract.Project))
	properties := propertiesOf(all)
	*properties = slices.DeleteFunc(*properties, func(m member) bool { return m.key == "metadata" })
	for _, one := range *properties {
		if section, ok := one.value.(object); ok && slices.Contains([]string{"resolve", "render", "fork"}, one.key) {
			below := propertiesOf(section)
			*below = slices.DeleteFunc(*below, func(m member) bool { return !allowed[one.key+"."+m.key] })
			assert.NotEmpty(t, *below, one.key)
		}
	}
	return append(all, member{"required", []string{"apiVersion", "kind"}}, member{"additionalProperties", false})
}

// propertiesOf returns the properties of a schema, which change in place.
func propertiesOf(schema object) *object {
	at := slices.IndexFunc(schema, func(m member) bool { return m.key == "properties" })
	properties := schema[at].value.(object)
	pointer := &properties
	schema[at].value = pointer
	return pointer
}

// fields returns the properties of a config type.
func fields(t *testing.T, kind string) object {
	t.Helper()
	b := &builder{t: t, types: readSource(t, "api/v1alpha1"), form: krmForm, limits: configLimits(kind), used: map[string]bool{}}
	all := b.structure(kind, "", "", true)
	for path := range b.limits {
		assert.True(t, b.used[path], "%s: no field is at %s", kind, path)
	}
	at := slices.IndexFunc(all, func(m member) bool { return m.key == "properties" })
	return all[at].value.(object)
}

// anyKind refers to the schema of a document's kind. Documents of other kinds may have any form.
func anyKind(kinds []string) object {
	var each []object
	for _, kind := range kinds {
		of := object{{"properties", object{{"kind", object{{"const", kind}}},
			{"apiVersion", object{{"pattern", "^" + contract.Group + "/"}}}}}, {"required", []string{"apiVersion", "kind"}}}
		each = append(each, object{{"if", of}, {"then", object{{"$ref", fileOf(kind)}}}})
	}
	return object{
		{"$schema", draft}, {"title", "all kinds"}, {"description", "A KRM document or function config of " + contract.Group + "."},
		{"type", "object"}, {"allOf", each},
	}
}
