package plugins_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/registry"
)

// document and catalogDocument are the parts of the documents that the tests read.
type (
	document struct {
		Metadata struct{ Name string }
		Spec     v1alpha1.ResourcePluginSpec
	}
	catalogDocument struct{ Spec v1alpha1.CatalogSpec }
)

func read(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into))
}

// documents returns the plugins by the names of their folders.
func documents(t *testing.T) map[string]document {
	t.Helper()
	files, err := filepath.Glob("*/plugin.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	found := map[string]document{}
	for _, file := range files {
		var d document
		read(t, file, &d)
		found[filepath.Dir(file)] = d
	}
	return found
}

func TestFolders_areComplete(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for folder, d := range documents(t) {
		name, version, found := strings.Cut(d.Metadata.Name, "@")
		assert.True(t, found, folder)
		assert.Equal(t, folder, name)
		changes, err := os.ReadFile(filepath.Join(folder, "CHANGELOG.md"))
		require.NoError(t, err)
		assert.Equal(t, version, regexp.MustCompile(`(?m)^## (.+)$`).FindStringSubmatch(string(changes))[1], "%s: the last change", folder)
		assert.Contains(t, string(index), "| ["+folder+"]("+folder+"/README.md) |", "the table in README.md")
		for _, file := range []string{"test.yaml", "testdata/server", "testdata/catalog", "testdata/foreign"} {
			assert.FileExists(t, filepath.Join(folder, file))
		}
		assert.NotEmpty(t, d.Spec.Delete, "%s must have a delete phase", folder)
	}
}

// Each README has a row for each param, and no others.
func TestReadme_describesParams(t *testing.T) {
	t.Parallel()
	for folder, d := range documents(t) {
		var want []string
		for _, step := range slices.Concat(d.Spec.Create, d.Spec.Delete) {
			for _, input := range step.Inputs {
				if input.ValueFromSandbox {
					want = append(want, input.Name)
				}
			}
		}
		slices.Sort(want)
		text, err := os.ReadFile(filepath.Join(folder, "README.md"))
		require.NoError(t, err)
		var got []string
		_, table, _ := strings.Cut(string(text), "| param | value | default |\n")
		table, _, _ = strings.Cut(table, "\n\n")
		for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
			got = append(got, row[1])
		}
		slices.Sort(got)
		assert.Equal(t, slices.Compact(want), got, "the params in %s/README.md", folder)
	}
}

// The table of types in docs/reference/outputs.md is that of the step provision of each plugin.
func TestOutputs_areThoseOfTheContract(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/reference/outputs.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| \\[([^]]+)\\]\\([^)]+\\) \\| (.+) \\|$").FindAllStringSubmatch(string(text), -1)
	plugins := documents(t)
	assert.Len(t, rows, len(plugins))
	for _, row := range rows {
		d, known := plugins[row[2]]
		require.True(t, known, row[2])
		step := d.Spec.Create[0]
		assert.Equal(t, "provision", step.Name, row[2])
		got := []string{"`type`", "`provider`"}
		for _, output := range step.Outputs {
			if name := "`" + output.Name + "`"; !slices.Contains(got, name) {
				got = append(got, name)
			}
		}
		assert.ElementsMatch(t, append([]string{"`type`", "`provider`"}, strings.Split(row[3], ", ")...), got, row[2])
		assert.Contains(t, step.Script, "printf "+row[1]+" > /tmp/outputs/type", row[2])
		assert.Contains(t, step.Script, "printf resourceplugins > /tmp/outputs/provider", row[2])
	}
}

// Each plugin is in the catalog, and its last version is the channel stable.
func TestCatalog_listsPlugins(t *testing.T) {
	t.Parallel()
	var catalog catalogDocument
	read(t, "catalog.yaml", &catalog)
	plugins := documents(t)
	assert.Len(t, catalog.Spec.Plugins, len(plugins))
	for _, entry := range catalog.Spec.Plugins {
		d, known := plugins[entry.Name]
		require.True(t, known, entry.Name)
		assert.Equal(t, d.Metadata.Name, entry.Name+"@"+entry.Channels["stable"])
		assert.True(t, slices.ContainsFunc(entry.Versions, func(v v1alpha1.CatalogVersion) bool {
			return v.Version == entry.Channels["stable"] && v.Source == entry.Name+"/plugin.yaml"
		}), "%s in catalog.yaml", entry.Name)
	}
}

// rplug builds the command.
func rplug(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "rplug")
	require.NoError(t, checkout.BuildProgram(program, "cmd/rplug"))
	return program
}

// A user who pulls the catalog from a registry has the plugins: rplug new knows their params, and a sandbox renders.
func TestCatalog_isPulledFromRegistry(t *testing.T) {
	t.Parallel()
	program, folder := rplug(t), t.TempDir()
	reference := registry.Start(t, t.TempDir()) + "/plugins:v1"
	for _, arguments := range [][]string{
		{"catalog", "push", reference, "--catalog", "catalog.yaml"},
		{"catalog", "pull", reference, folder},
		{"new", "sandbox", "feature-x", "--plugin", "postgres@stable", "--param", "mode=empty", "--dir", folder},
		{"validate", "--strict", folder},
		{"build", folder, "--output-dir", filepath.Join(t.TempDir(), "rendered")},
	} {
		text, err := exec.Command(program, arguments...).CombinedOutput()
		require.NoError(t, err, "rplug %s: %s", strings.Join(arguments, " "), text)
	}
	text, err := os.ReadFile(filepath.Join(folder, "sandboxes", "feature-x.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(text), `    # other params: connections dump dump-file dump-url extensions migrations schema template
    params:
      mode: empty
`)
	text, err = exec.Command(program, "new", "sandbox", "x", "--plugin", "postgres", "--param", "size=1", "--dir", folder).CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(text), `plugin "postgres" has no input for param "size": its inputs are "connections", "dump"`)
}

// The digests in the catalog are those of the plugins.
func TestCatalog_isCurrent(t *testing.T) {
	t.Parallel()
	program := rplug(t)
	for _, arguments := range [][]string{{"catalog", "index", ".", "--check"}, {"catalog", "lint", "."}} {
		text, err := exec.Command(program, arguments...).CombinedOutput()
		assert.NoError(t, err, "rplug %s: %s", strings.Join(arguments, " "), text)
	}
}

// The page of the plugins has a picture of the steps of each.
func TestPictures_areCurrent(t *testing.T) {
	t.Parallel()
	program := rplug(t)
	page, err := os.ReadFile("../docs/howto/plugins.md")
	require.NoError(t, err)
	for folder := range documents(t) {
		got, err := exec.Command(program, "graph", "svg", filepath.Join(folder, "plugin.yaml")).Output()
		require.NoError(t, err, folder)
		picture := "pictures/plugins/" + folder + ".svg"
		if os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.WriteFile("../docs/"+picture, got, 0o644)) //nolint:gosec // it is public
		}
		want, err := os.ReadFile("../docs/" + picture)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "run make golden")
		assert.Contains(t, string(page), "](../"+picture+")")
	}
}

// The volumes that a README describes can replace those of the plugin.
func TestReadme_volumesRender(t *testing.T) {
	t.Parallel()
	program := rplug(t)
	for _, name := range []string{"postgres", "mariadb"} {
		readme, err := os.ReadFile(filepath.Join(name, "README.md"))
		require.NoError(t, err)
		volumes := regexp.MustCompile("(?ms)^```yaml\n(volumes:\n.+?)^```").FindSubmatch(readme)
		require.NotNil(t, volumes, name)
		plugin, err := os.ReadFile(filepath.Join(name, "plugin.yaml"))
		require.NoError(t, err)
		indented := regexp.MustCompile(`(?m)^`).ReplaceAllString(strings.TrimSpace(string(volumes[1])), "        ")
		changed := regexp.MustCompile(`(?ms)^        volumes:\n.+?\n\n`).ReplaceAllString(string(plugin), indented+"\n\n")
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(changed), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "sandbox.yaml"), []byte(`
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: feature-x}
spec:
  cluster: staging
  resources:
  - {name: db, plugin: `+name+`, params: {migrations: shop, mode: dump, dump-file: shop.sql}}
`), 0o600))
		for _, arguments := range [][]string{{"validate", "--strict", folder}, {"build", folder}} {
			text, err := exec.Command(program, arguments...).CombinedOutput()
			require.NoError(t, err, "rplug %s: %s", strings.Join(arguments, " "), text)
			if arguments[0] == "build" {
				assert.Contains(t, string(text), "reference: registry.example.com/migrations:1.4.0", name)
				assert.Contains(t, string(text), "claimName: "+name+"-dumps", name)
			}
		}
	}
}
