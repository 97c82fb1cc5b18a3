package schemas

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// compiled are the schemas by file, so that each is compiled only once.
var compiled sync.Map

func compile(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	once, _ := compiled.LoadOrStore(file, sync.OnceValues(func() (*jsonschema.Schema, error) {
		return jsonschema.NewCompiler().Compile(file)
	}))
	schema, err := once.(func() (*jsonschema.Schema, error))()
	require.NoError(t, err)
	return schema
}

// read returns the documents of a YAML file as an editor reads them.
func read(t *testing.T, file string) []any {
	t.Helper()
	text, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = text.Close() }()
	var all []any
	for decoder := yaml.NewDecoder(text); ; {
		var one any
		if err := decoder.Decode(&one); err != nil {
			require.Equal(t, "EOF", err.Error(), file)
			return all
		}
		if one != nil {
			all = append(all, plain(one))
		}
	}
}

// plain converts a value to a JSON value.
func plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, one := range value {
			value[key] = plain(one)
		}
	case []any:
		for i, one := range value {
			value[i] = plain(one)
		}
	case time.Time:
		return value.Format(time.DateOnly)
	}
	return value
}

func kindOf(document any) string { return fmt.Sprint(document.(map[string]any)["kind"]) }

// Every valid document of the project is valid by its schema, directly and in the schema of all kinds.
func TestDocumentsOfTheProjectAreValid(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{
		"../../pkg/validate/testdata/*.yaml", "../../pkg/resolve/testdata/full.yaml", "../../deploy/pipeline/*.yaml", "../../examples/*/*.yaml",
	} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		files = append(files, found...)
	}
	all := compile(t, "all.json")
	seen := map[string]bool{}
	for _, file := range files {
		for _, document := range read(t, file) {
			require.NoError(t, all.Validate(document), file)
			if own, err := filepath.Glob(fileOf(kindOf(document))); err == nil && len(own) == 1 {
				require.NoError(t, compile(t, own[0]).Validate(document), file)
				seen[kindOf(document)] = true
			}
		}
	}
	for _, kind := range []string{"ResourcePlugin", "Sandbox", "RouteGroup", "Catalog", "ValidatePlugin", "RenderPhase"} {
		assert.True(t, seen[kind], "no document of kind %s was tried", kind)
	}
}

func TestNativeExamplesAreValid(t *testing.T) {
	t.Parallel()
	for file, kind := range map[string]string{"plugin": "resourceplugin", "sandbox": "sandbox"} {
		documents := read(t, "../../examples/orders-db/native/"+file+".yaml")
		require.NotEmpty(t, documents)
		for _, document := range documents {
			require.NoError(t, compile(t, "native/"+kind+".json").Validate(document))
		}
	}
}

func TestRealFilesAreValid(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(checkout.Corpus(t), "signadot")
	tried := 0
	for _, pattern := range strings.Fields("plugins/*/plugin.yaml plugins/*/example-*.yaml hotrod/*.yaml hotrod/dev/*.yaml") {
		files, err := filepath.Glob(filepath.Join(corpus, pattern))
		require.NoError(t, err)
		for _, file := range files {
			for _, document := range read(t, file) {
				tried++
				require.NoError(t, compile(t, nativeFile(t, file)).Validate(document), file)
			}
		}
	}
	assert.GreaterOrEqual(t, tried, 14)
}

func TestBrokenRealFilesAreInvalid(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(checkout.Corpus(t), "signadot")
	for _, name := range strings.Fields("inputs-to outputs-from sandbox-tags sandbox-endpoints-map") {
		file := filepath.Join(corpus, "broken", name+".yaml")
		for _, document := range read(t, file) {
			require.Error(t, compile(t, nativeFile(t, file)).Validate(document), file)
		}
	}
}

// nativeFile returns the schema for a native file whose variables have no values.
func nativeFile(t *testing.T, file string) string {
	t.Helper()
	read, err := load.Read([]string{file}, load.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, read.Documents, file)
	return filepath.Join("native", fileOf(read.Documents[0].Item.Kind()))
}

// Each schema rejects unknown keys, former keys, wrong types and missing fields, in both forms.
func TestWhatSchemasRefuse(t *testing.T) {
	t.Parallel()
	step := "spec: {runner: {image: a}, create: [{name: a, script: b%s}]}"
	cases := []struct{ file, text string }{
		{"native/resourceplugin.json", "name: a-b\n" + fmt.Sprintf(step, ", inputs: [{name: a, to: {env: A}}]")},
		{"native/resourceplugin.json", "name: a-b\n" + fmt.Sprintf(step, ", outputs: [{name: a, from: /a}]")},
		{"native/resourceplugin.json", "name: a_b\n" + fmt.Sprintf(step, "")},
		{"native/resourceplugin.json", fmt.Sprintf(step, "")},
		{"native/resourceplugin.json", "name: a-b\nspec: {runner: {image: a}, create: []}"},
		{"native/resourceplugin.json", "name: a-b\nspec: {runner: {image: ''}}"},
		{"native/resourceplugin.json", "name: a-b\nspec: {runner: {image: a}, discription: b}"},
		{"native/resourceplugin.json", "name: a-b\nspec: text"},
		{"native/sandbox.json", "name: a\nspec: {cluster: a, resource: []}"},
		{"native/sandbox.json", "name: a\nspec: {cluster: a, resources: [{name: a, plugin: b-c, params: [a]}]}"},
		{"native/sandbox.json", "name: a\nspec: {cluster: a, resources: [{name: a, plugin: b-c, params: {a: 1}}]}"},
		{"native/sandbox.json", "name: a\nspec: {cluster: a, endpoints: {a: b}}"},
		{"native/routegroup.json", "name: a\nspec: {match: {any: [{all: [{lable: {key: a, value: b}}]}]}}"},
		{"routegroup.json", "apiVersion: resourceplugins.dev/v1alpha1\nkind: RouteGroup\nmetadata: {name: a}\nspec: {}"},
		{"all.json", "apiVersion: resourceplugins.dev/v1alpha1\nkind: ValidatePlugin\nmetadata: {name: a}\nrules: {script: b}"},
		{"all.json", "apiVersion: resourceplugins.dev/v1alpha1\nkind: ValidatePlugin\nmetadata: {name: a}\nspec: {}"},
		{"all.json", "apiVersion: resourceplugins.dev/v1alpha1\nkind: ValidatePlugin\nmetadata: {name: a}\nrules: {no-such-rule: \"off\"}"},
		{"all.json", "apiVersion: resourceplugins.dev/v1\nkind: Sandbox\nmetadata: {name: a}\nspec: {cluster: a}"},
		{"pluginlock.json", "apiVersion: resourceplugins.dev/v1alpha1\nkind: PluginLock\nmetadata: {name: a}\n" +
			"spec: {plugins: [{asked: a-b, chosen: a-b@1.0.0, digest: sha256:12}]}"},
	}
	for _, c := range cases {
		var document any
		require.NoError(t, yaml.Unmarshal([]byte(c.text), &document))
		require.Error(t, compile(t, c.file).Validate(document), c.text)
	}
}

// A directive may stand for any value of a native document, and its result has no limits.
func TestDirectivesAreValid(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{
		"native/resourceplugin.json": `{name: "db@@{v}", spec: {runner: {image: "@{i}", namespace: "@{NS}"}, create: "@{embed[yaml]: c.yaml}"}}`,
		"native/sandbox.json": `{name: "pr-@{n}", spec: {cluster: "@{c}", ttl: {duration: "@{d}"}, endpoints: [{name: a, host: b, ` +
			`port: "@{p[yaml]}", protocol: "@{q}"}], labels: "@{l[yaml]}", forks: [{forkOf: {kind: "@{k}", namespace: "@{n}", name: "@{m}"}}]}}`,
	} {
		var document any
		require.NoError(t, yaml.Unmarshal([]byte(text), &document))
		require.NoError(t, compile(t, file).Validate(document))
	}
}
