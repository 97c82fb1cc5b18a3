package manual

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// home is the URL of the project.
const home = "https://github.com/resource-plugins/krm-functions"

type object = map[string]any

const generated = "# Generated from the code by make golden. Do not edit.\n"

// kptTags are the tags that kpt's catalog allows.
// https://github.com/kptdev/krm-functions-catalog/blob/main/scripts/generate_docs/metadata-schema.json
var kptTags = []string{"mutator", "validator", "generator", "viewer", "test", "testing", "timing", "name prefix", "name suffix"}

// checkMetadata compares metadata.yaml, which has the form of kpt's catalog, with the output of --doc.
func checkMetadata(t *testing.T, f cli.Function) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Zero(t, f.Run(t.Context(), []string{"--doc"}, strings.NewReader(""), &stdout, &stderr), stderr.String())
	var doc object
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &doc))
	for _, key := range []string{"short", "long", "examples"} { // which are not in metadata.yaml
		assert.NotEmpty(t, doc[key], key)
		delete(doc, key)
	}
	assert.Subset(t, kptTags, doc["tags"])
	text, err := yaml.Marshal(doc)
	require.NoError(t, err)
	golden(t, fileOf(f, "metadata.yaml"), generated+string(text))
	for _, url := range append(doc["examplePackageURLs"].([]any), doc["sourceURL"]) {
		path, ok := strings.CutPrefix(url.(string), home+"/tree/main/")
		require.True(t, ok, url)
		assert.DirExists(t, filepath.Join(checkout.Root(), filepath.FromSlash(path)))
	}
}

// checkDefinition compares krm-function-metadata.yaml, a KRMFunctionDefinition (KEP 2906), with the function, and decodes it
// strictly into kyaml's type.
func checkDefinition(t *testing.T, f cli.Function) {
	t.Helper()
	text, err := yaml.Marshal(definition(t, f))
	require.NoError(t, err)
	golden(t, fileOf(f, "krm-function-metadata.yaml"), generated+string(text))
	var decoded framework.KRMFunctionDefinition
	require.NoError(t, yaml.UnmarshalStrict(text, &decoded))
	assert.Equal(t, framework.FunctionDefinitionGroupVersion, decoded.APIVersion)
	assert.Equal(t, framework.FunctionDefinitionKind, decoded.Kind)
	assert.Equal(t, f.Name, decoded.Name)
	require.Len(t, decoded.Spec.Versions, 1)
	version := decoded.Spec.Versions[0]
	assert.NotEmpty(t, version.Runtime.Container.Image)
	assert.Equal(t, f.Name, version.Runtime.Exec.Path)
	for _, kind := range version.Schema.OpenAPIV3Schema.Properties["kind"].Enum {
		assert.Equal(t, decoded.Spec.Names.Kind, kind)
	}
}

func definition(t *testing.T, f cli.Function) object {
	t.Helper()
	page := home + "/blob/main/functions/" + f.Name + "/README.md"
	_, version, _ := strings.Cut(contract.APIVersion, "/")
	return object{
		"apiVersion": "config.kubernetes.io/v1alpha1", "kind": "KRMFunctionDefinition", "metadata": object{"name": f.Name},
		"spec": object{
			"group": contract.Group, "names": object{"kind": f.Kind}, "description": f.Name + " " + f.Purpose,
			"publisher": "resource-plugins", "home": home, "maintainers": []string{"resource-plugins"},
			"versions": []object{{
				"name": version, "schema": object{"openAPIV3Schema": schema(t, f)}, "idempotent": true, "license": "Apache-2.0",
				"usage": page, "examples": []string{page + "#kustomize", page + "#kpt"},
				"runtime": object{
					"container": object{"image": contract.ImageRegistry + "/" + f.Name + ":" + contract.ImageTag},
					"exec":      object{"path": f.Name},
				},
			}},
		},
	}
}

// schema returns the OpenAPI 3 schema of the function's config, with defaults.
func schema(t *testing.T, f cli.Function) object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "api", "schemas", strings.ToLower(f.Kind)+".json"))
	require.NoError(t, err)
	var written object
	require.NoError(t, json.Unmarshal(text, &written))
	openAPI := translate(written)
	properties := openAPI["properties"].(object)
	properties["metadata"] = object{"type": "object"} // as in a CustomResourceDefinition
	for _, field := range f.Fields() {
		property := properties[field.Key].(object)
		if field.Default() != "" {
			property["default"] = typed(t, property["type"], field.Default())
		}
	}
	return openAPI
}

// foreign are keywords that OpenAPI does not have, or that structural schemas must not have.
var foreign = []string{"$schema", "title", "patternErrorMessage", "propertyNames"}

// translate translates JSON Schema to OpenAPI: type null becomes nullable, const an enum.
func translate(schema object) object {
	out := object{}
	for key, value := range schema {
		switch value := value.(type) {
		case object:
			out[key] = translate(value)
		default:
			out[key] = value
		}
	}
	if properties, ok := schema["properties"].(object); ok {
		all := object{}
		for key, value := range properties {
			all[key] = translate(value.(object))
		}
		out["properties"] = all
		delete(out, "additionalProperties") // the function reports unknown keys
	}
	for _, key := range foreign {
		delete(out, key)
	}
	if kinds, ok := schema["type"].([]any); ok {
		out["type"], out["nullable"] = kinds[0], true
	}
	if only, ok := schema["const"]; ok {
		delete(out, "const")
		out["type"], out["enum"] = "string", []any{only}
	}
	if choices, ok := schema["enum"].([]any); ok {
		out["enum"] = withoutNull(choices)
	}
	return out
}

func withoutNull(choices []any) []any {
	var kept []any
	for _, one := range choices {
		if one != nil {
			kept = append(kept, one)
		}
	}
	return kept
}

// typed converts a default to a value of an OpenAPI type.
func typed(t *testing.T, kind any, text string) any {
	t.Helper()
	switch kind {
	case "integer":
		number, err := strconv.Atoi(text)
		require.NoError(t, err)
		return number
	case "boolean":
		return text == "true"
	case "array":
		return strings.Split(text, ",")
	case "string":
		return text
	}
	require.Failf(t, "unknown type", "%v", kind)
	return nil
}
