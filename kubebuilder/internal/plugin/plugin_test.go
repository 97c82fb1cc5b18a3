package plugin_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/plugin"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// serve returns the response of Serve to a request.
func serve(t *testing.T, request any) (response v1alpha1.Response, notes string) {
	t.Helper()
	text, isText := request.(string)
	if !isText {
		encoded, err := json.Marshal(request)
		require.NoError(t, err)
		text = string(encoded)
	}
	var out, messages bytes.Buffer
	require.Zero(t, plugin.Serve(strings.NewReader(text), &out, &messages))
	decoder := json.NewDecoder(&out)
	require.NoError(t, decoder.Decode(&response))
	assert.False(t, decoder.More(), "there must be one object")
	return response, messages.String()
}

// tool is a project on which commands run in sequence.
type tool map[string]string

// run runs a command, which must succeed, and returns the changed paths.
func (p tool) run(t *testing.T, command string, args ...string) (changed []string) {
	t.Helper()
	response, _ := serve(t, v1alpha1.Request{APIVersion: v1alpha1.APIVersion, Command: command, Args: args, Universe: p})
	require.Empty(t, response.ErrorMsgs)
	require.False(t, response.Error)
	for path, content := range response.Universe {
		assert.NotEqual(t, "PROJECT", path)
		p[path] = content
	}
	for _, path := range response.Deleted {
		delete(p, path)
	}
	return slices.Sorted(maps.Keys(response.Universe))
}

var (
	createArgs = []string{"--group", "demo", "--version", "v1", "--kind", "PostgresDB", "--params", "dbname,size", "--outputs=host"}
	editArgs   = []string{"--plugin", "PostgresDB", "--to", "1.1"}
)

func TestServe(t *testing.T) {
	t.Parallel()
	p := tool{"PROJECT": "layout: []\n", "README.md": "mine\n"}
	assert.Len(t, p.run(t, v1alpha1.CommandInit, "--cluster=demo", "--domain", "example.org"), 12)
	assert.Contains(t, p["rplug.yaml"], "\ncluster: demo\n")
	assert.Equal(t, []string{
		"kustomization.yaml", "plugins/postgres-db/plugin.yaml", "plugins/postgres-db/test.yaml", "sandboxes/postgres-db.yaml",
	}, p.run(t, v1alpha1.CommandCreateAPI, createArgs...))
	assert.Contains(t, p["sandboxes/postgres-db.yaml"], "cluster: demo\n")
	assert.Contains(t, p["sandboxes/postgres-db.yaml"], "plugin: postgres-db@1.0.0\n")
	assert.Equal(t, []string{"policies/postgres-db.yaml"}, p.run(t, v1alpha1.CommandCreateWebhook, createArgs[:6]...))
	published := p["plugins/postgres-db/plugin.yaml"]
	assert.Equal(t, []string{"kustomization.yaml", "plugins/postgres-db/1.0.0.yaml", "plugins/postgres-db/plugin.yaml"},
		p.run(t, v1alpha1.CommandEdit, editArgs...))
	assert.Equal(t, published, p["plugins/postgres-db/1.0.0.yaml"])
	assert.Equal(t, strings.Replace(published, "@1.0.0", "@1.1.0", 1), p["plugins/postgres-db/plugin.yaml"])
	assert.Equal(t, "mine\n", p["README.md"])

	// A second run changes nothing.
	assert.Empty(t, p.run(t, v1alpha1.CommandInit, "--cluster=demo"))
	assert.Empty(t, p.run(t, v1alpha1.CommandCreateAPI, createArgs...))
	assert.Empty(t, p.run(t, v1alpha1.CommandCreateWebhook, createArgs[:6]...))
	assert.Empty(t, p.run(t, v1alpha1.CommandEdit, editArgs...))

	// A plugin without sandboxes can be removed.
	delete(p, "sandboxes/postgres-db.yaml")
	assert.Equal(t, []string{"kustomization.yaml"}, p.run(t, v1alpha1.CommandDelete, "--kind", "PostgresDB"))
	assert.NotContains(t, p, "plugins/postgres-db/plugin.yaml")
	assert.NotContains(t, p, "policies/postgres-db.yaml")
	assert.Contains(t, p, "plugins/postgres-db/1.0.0.yaml", "what is published is kept")
	assert.NotContains(t, p["kustomization.yaml"], "plugin.yaml")
}

func TestServe_versions(t *testing.T) {
	t.Parallel()
	for api, want := range map[string]string{
		"v1": "1.0.0", "v2": "2.0.0", "v1alpha1": "1.0.0-alpha.1", "v3beta12": "3.0.0-beta.12", "": "1.0.0",
	} {
		p := tool{}
		p.run(t, v1alpha1.CommandCreateAPI, "--kind", "Cache", "--version", api)
		assert.Contains(t, p["plugins/cache/plugin.yaml"], "name: cache@"+want+" #", api)
	}
}

// Versions in a catalog are published: delete keeps the document, so that @^1 still resolves and old resources are
// deleted.
func TestServe_deleteKeepsPublishedVersions(t *testing.T) {
	t.Parallel()
	p := tool{"kustomization.yaml": "resources:\n- catalog.yaml\n- sandboxes/other.yaml\n"}
	p.run(t, v1alpha1.CommandCreateAPI, createArgs...)
	p.run(t, v1alpha1.CommandEdit, editArgs...)
	published := p["plugins/postgres-db/plugin.yaml"]
	catalog := func(name, version string) string {
		return "kind: ConfigMap\n---\napiVersion: resourceplugins.dev/v1alpha1\nkind: Catalog\nmetadata:\n  name: c\n" +
			"spec:\n  plugins:\n  - name: " + name + "\n    versions:\n    - version: " + version + "\n      digest: sha256:0\n"
	}
	delete(p, "sandboxes/postgres-db.yaml")
	for name, c := range map[string]struct {
		catalog string
		isKept  bool
	}{
		"listed":          {catalog("postgres-db", "1.1.0"), true},
		"of a build":      {catalog("postgres-db", "1.1.0+a"), true},
		"another version": {catalog("postgres-db", "1.0.0"), false},
		"another plugin":  {"# postgres-db\n" + catalog("other", "1.1.0"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := maps.Clone(p)
			p["team/catalog.yml"] = c.catalog
			p.run(t, v1alpha1.CommandDelete, "--kind", "PostgresDB")
			assert.NotContains(t, p, "plugins/postgres-db/plugin.yaml")
			want := "resources:\n- catalog.yaml\n- sandboxes/other.yaml\n- plugins/postgres-db/1.0.0.yaml\n"
			if c.isKept {
				assert.Equal(t, published, p["plugins/postgres-db/1.1.0.yaml"])
				want += "- plugins/postgres-db/1.1.0.yaml\n"
			} else {
				assert.NotContains(t, p, "plugins/postgres-db/1.1.0.yaml")
			}
			assert.Equal(t, want, p["kustomization.yaml"])
		})
	}
	broken := maps.Clone(p)
	broken["catalog.yaml"] = "kind: Catalog # postgres-db\nspec: [\n"
	response, _ := serve(t, v1alpha1.Request{Command: v1alpha1.CommandDelete, Args: []string{"--kind", "PostgresDB"}, Universe: broken})
	require.Len(t, response.ErrorMsgs, 1)
	assert.Contains(t, response.ErrorMsgs[0], "catalog.yaml must be valid, to see whether postgres-db@1.1.0 is published: ")
}

// delete leaves no entry of the kustomization without a file.
func TestServe_deleteCleansTheKustomization(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{
		"resources:\n- a.yaml\n- sandboxes/cache.yaml # mine\n- plugins/cache/plugin.yaml\n": "resources:\n- a.yaml\n",
		"resources:\n  - 'sandboxes/cache.yaml'\n  - ./policies/cache.yaml\nx: y\n":          "resources: []\nx: y\n",
		"resources: [plugins/cache/plugin.yaml]\n":                                           "resources: [plugins/cache/plugin.yaml]\n",
		"namespace: x\n": "namespace: x\n",
		"a: [\n":         "a: [\n",
	} {
		p := tool{}
		p.run(t, v1alpha1.CommandCreateAPI, "--kind", "Cache")
		p.run(t, v1alpha1.CommandCreateWebhook, "--kind", "Cache")
		delete(p, "sandboxes/cache.yaml")
		p["kustomization.yaml"] = before
		p.run(t, v1alpha1.CommandDelete, "--kind", "Cache")
		assert.Equal(t, after, p["kustomization.yaml"])
	}
}

// A plugin is kept while a sandbox in any folder uses it.
func TestServe_keepsUsedPlugins(t *testing.T) {
	t.Parallel()
	p := tool{}
	p.run(t, v1alpha1.CommandCreateAPI, "--kind", "Cache")
	p["team/other.yml"] = "kind: ConfigMap\n---\n" + p["sandboxes/cache.yaml"]
	p["notes.md"] = p["sandboxes/cache.yaml"]
	p["broken.yaml"] = "a: [cache\n"
	delete(p, "sandboxes/cache.yaml")
	response, _ := serve(t, v1alpha1.Request{Command: v1alpha1.CommandDelete, Args: []string{"--kind", "Cache"}, Universe: p})
	assert.Equal(t, []string{"team/other.yml uses the plugin: set its annotation resourceplugins.dev/state: absent, " +
		"apply what is rendered, and remove it"}, response.ErrorMsgs)
}

// Edited files are kept, with a note.
func TestServe_keepsEdits(t *testing.T) {
	t.Parallel()
	p := tool{"Makefile": "all:\n\ttrue", "kustomization.yaml": "resources: [a.yaml]\n", "rplug.yaml": "cluster: [\n"}
	changed := p.run(t, v1alpha1.CommandInit)
	assert.Contains(t, changed, "Makefile")
	assert.Equal(t, "all:\n\ttrue\n\ninclude rplug.mk\n", p["Makefile"])
	assert.NotContains(t, changed, "kustomization.yaml")
	p.run(t, v1alpha1.CommandCreateAPI, createArgs...)
	p["plugins/postgres-db/plugin.yaml"] += "# mine\n"
	response, notes := serve(t, v1alpha1.Request{Command: v1alpha1.CommandCreateAPI, Args: createArgs, Universe: p})
	assert.Empty(t, response.Universe)
	assert.Equal(t, "resourceplugins.dev: plugins/postgres-db/plugin.yaml is kept: it has other content; remove it to have it made\n"+
		"resourceplugins.dev: kustomization.yaml is kept: resources must be a list with an entry a line: "+
		"add plugins/postgres-db/plugin.yaml, sandboxes/postgres-db.yaml to resources\n", notes)
}

func TestServe_kustomization(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{
		"resources:\n- a.yaml # mine\n\ntransformers: []\n": "resources:\n- a.yaml # mine\n- plugins/cache/plugin.yaml\n" +
			"- sandboxes/cache.yaml\n\ntransformers: []\n",
		"resources:\n  - plugins/cache/plugin.yaml":                         "resources:\n  - plugins/cache/plugin.yaml\n  - sandboxes/cache.yaml\n",
		"resources:\n- 'plugins/cache/plugin.yaml'\n- sandboxes/cache.yaml": "resources:\n- 'plugins/cache/plugin.yaml'\n- sandboxes/cache.yaml",
		"a: [\n":        "a: [\n",
		"":              "",
		"resources: []": "resources: []",
	} {
		p := tool{"kustomization.yaml": before}
		p.run(t, v1alpha1.CommandCreateAPI, "--kind", "Cache")
		assert.Equal(t, after, p["kustomization.yaml"])
	}
}

func TestServe_refuses(t *testing.T) {
	t.Parallel()
	made := tool{}
	made.run(t, v1alpha1.CommandCreateAPI, createArgs...)
	plugin := "plugins/postgres-db/plugin.yaml"
	with := func(path, content string) tool {
		p := maps.Clone(made)
		p[path] = content
		return p
	}
	for name, c := range map[string]struct {
		command  string
		args     []string
		universe tool
		want     []string
	}{
		"an unknown command": {"deploy", nil, nil, []string{
			`command must be one of flags, metadata, init, create api, create webhook, edit, delete, not "deploy"`}},
		"a word":           {v1alpha1.CommandInit, []string{"--force", "a"}, nil, []string{`init: arguments must be flags, not "a"`}},
		"an empty cluster": {v1alpha1.CommandInit, []string{"--cluster", " "}, nil, []string{"--cluster: must not be blank"}},
		"no kind":          {v1alpha1.CommandCreateAPI, nil, nil, []string{"--kind must be set"}},
		"a path":           {v1alpha1.CommandCreateAPI, []string{"--kind", "../../x"}, nil, []string{`--kind: "../../x" must start with a letter`}},
		"a path as a version": {v1alpha1.CommandCreateAPI, []string{"--kind", "Ab", "--version", "../v1"}, nil, []string{
			`--version: must be such as v1, v1alpha1 or v2beta1, not "../v1"`}},
		"names": {v1alpha1.CommandCreateAPI, []string{"--kind", "Ab", "--params", "a,", "--outputs", "a_b"}, nil, []string{
			"--params: must not hold an empty name",
			`--outputs: must hold letters, digits and dashes only, not as "a_b" does: write "a-b"`}},
		"an image": {v1alpha1.CommandCreateAPI, []string{"--kind", "Ab", "--runner-image", "a b"}, nil, []string{
			`--runner-image: must be a valid image reference, not "a b": invalid reference format`}},
		"a policy without a plugin": {v1alpha1.CommandCreateWebhook, []string{"--kind", "Ab"}, nil, []string{
			`--kind: there is no plugin "ab": plugins/ab/plugin.yaml is missing; create api makes it`}},
		"not a plugin": {v1alpha1.CommandCreateWebhook, []string{"--kind", "Ab"}, tool{"plugins/ab/plugin.yaml": "a: 1\n"}, []string{
			"--kind: plugins/ab/plugin.yaml: must be a valid ResourcePlugin: see rplug validate"}},
		"an edit of nothing": {v1alpha1.CommandEdit, nil, nil, []string{"--plugin must be set", "--to must be set"}},
		"a lower version": {v1alpha1.CommandEdit, []string{"--plugin", "postgres-db", "--to", "0.9.0"}, made, []string{
			`--to: must be higher than 1.0.0, which plugins/postgres-db/plugin.yaml has, not "0.9.0"`}},
		"no version": {v1alpha1.CommandEdit, []string{"--plugin", "postgres-db", "--to", "next"}, made, []string{
			`--to: version "next" must be a semver such as 1.0.0`}},
		"another published version": {v1alpha1.CommandEdit, editArgs, with("plugins/postgres-db/1.0.0.yaml", "x"), []string{
			"plugins/postgres-db/1.0.0.yaml exists with other content than " + plugin + ", which has the same version: remove one of them"}},
		"a plugin in use": {v1alpha1.CommandDelete, []string{"--kind", "PostgresDB"}, made, []string{
			"sandboxes/postgres-db.yaml uses the plugin: set its annotation resourceplugins.dev/state: absent, apply what is rendered, and remove it"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, _ := serve(t, v1alpha1.Request{APIVersion: v1alpha1.APIVersion, Command: c.command, Args: c.args, Universe: c.universe})
			assert.True(t, response.Error)
			assert.Equal(t, c.want, response.ErrorMsgs)
			assert.Empty(t, response.Universe)
			assert.Equal(t, c.command, response.Command)
		})
	}
}

func TestServe_refusesWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "stdin must be a request of kubebuilder as JSON: " + json.Unmarshal(nil, new(v1alpha1.Request)).Error(),
		`{"args": 1}`:            "stdin must be a request of kubebuilder as JSON: " + json.Unmarshal([]byte(`{"args": 1}`), new(v1alpha1.Request)).Error(),
		`{"apiVersion":"v2"}`:    `apiVersion must be "v1alpha1", not "v2"`,
		`{"command":"flags"}`:    "args must have one of --init, --api, --webhook and --edit",
		`{"command":"metadata"}`: "args must have one of --init, --api, --webhook and --edit",
	} {
		response, _ := serve(t, text)
		assert.True(t, response.Error)
		assert.Equal(t, []string{want}, response.ErrorMsgs)
	}
}

// All plugins of a chain get the flags of all: one that is unknown is no error, but a misspelled one is named.
func TestServe_ignoresUnknownFlags(t *testing.T) {
	t.Parallel()
	for _, chain := range [][]string{{plugin.Key, "sample.example.org/v1"}, {plugin.Key}, nil} {
		args := []string{"--size", "3", "--cluster", "x", "--team=a"}
		response, notes := serve(t, v1alpha1.Request{Command: v1alpha1.CommandInit, Args: args, PluginChain: chain})
		assert.Empty(t, response.ErrorMsgs)
		assert.Contains(t, response.Universe["rplug.yaml"], "cluster: x\n")
		assert.Equal(t, "resourceplugins.dev: --size is ignored: it is no flag of this plugin\n"+
			"resourceplugins.dev: --team is ignored: it is no flag of this plugin\n", notes)
	}
}

// Every request gets one response, whose paths stay in the project.
func FuzzServe(f *testing.F) {
	f.Add("create api", "--kind", "PostgresDB", "kustomization.yaml", "resources:\n- a\n")
	f.Add("init", "--cluster", "\x00", "Makefile", "")
	f.Add("edit", "--plugin", "a", "plugins/a/plugin.yaml", "kind: ResourcePlugin")
	f.Add("create webhook", "--kind", "../a", "go.mod", "module")
	f.Fuzz(func(t *testing.T, command, flag, value, path, content string) {
		response, _ := serve(t, v1alpha1.Request{
			Command: command, Args: []string{flag, value, "--version=v1"}, Universe: map[string]string{path: content},
		})
		assert.Equal(t, response.Error, len(response.ErrorMsgs) > 0)
		for name := range response.Universe {
			assert.NotContains(t, name, "..")
			assert.NotEqual(t, byte('/'), name[0])
		}
	})
}
