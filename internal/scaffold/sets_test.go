package scaffold_test

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admission "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

var database = scaffold.Plugin{Name: "PostgresDB", Params: []string{"dbname", "size"}, Outputs: []string{"host", "password"}}

// sets are generators of several files.
var sets = map[string]generator{
	"project":  scaffold.Project{Cluster: "1.0"},
	"api":      scaffold.API{Plugin: database, Cluster: "demo"},
	"policy":   scaffold.Policy{Plugin: "postgres-db", Params: []string{"dbname", "size"}},
	"operator": scaffold.Operator{},
	"github":   preview{"github"},
	"gitlab":   preview{"gitlab"},
}

func TestFiles_ofSets(t *testing.T) {
	t.Parallel()
	for name, g := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := g.Files()
			require.NoError(t, err)
			archive := &txtar.Archive{}
			for _, path := range files.Paths() {
				archive.Files = append(archive.Files, txtar.File{Name: path, Data: []byte(files[path])})
			}
			golden := filepath.Join("testdata", name+".txtar")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				require.NoError(t, os.WriteFile(golden, txtar.Format(archive), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(txtar.Format(archive)))
		})
	}
}

// writeSets writes sets below a folder.
func writeSets(t *testing.T, names ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range names {
		files, err := sets[name].Files()
		require.NoError(t, err)
		_, err = scaffold.Write(t.Context(), folder, files, scaffold.WriteOptions{})
		require.NoError(t, err)
	}
	return folder
}

// A project has no findings, alone and with a plugin, whose example renders.
func TestProject_validateAndRender(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sets []string
		jobs int
	}{{[]string{"project"}, 0}, {[]string{"project", "policy", "api"}, 1}} {
		read, err := load.Read([]string{writeSets(t, c.sets...)}, load.Options{})
		require.NoError(t, err)
		var documents []*krm.Item
		for _, d := range read.Documents {
			documents = append(documents, d.Item)
		}
		chain := build.New()
		chain.Validate.Strict = true
		list := krm.NewList(documents...)
		result, err := chain.Run(list)
		require.NoError(t, err)
		for _, found := range list.Results() {
			if c.jobs > 0 || found.Message != "no Sandbox in the input: nothing is rendered" {
				assert.NotContains(t, []krm.Severity{krm.Error, krm.Warning}, found.Severity, "%s", found.Message)
			}
		}
		jobs := 0
		for _, object := range result.Objects {
			if object.Kind() == "Job" {
				jobs++
			}
		}
		assert.Equal(t, c.jobs, jobs, "%v", c.sets)
	}
}

func TestProject_lint(t *testing.T) {
	t.Parallel()
	files, err := sets["project"].Files()
	require.NoError(t, err)
	assert.True(t, json.Valid([]byte(files[".vscode/settings.json"])))
	for path, text := range files {
		assert.True(t, strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "\n\n"), path)
		if strings.HasSuffix(path, ".yaml") {
			var content any
			require.NoError(t, yaml.UnmarshalStrict([]byte(text), &content), path)
		}
	}
	settings := struct {
		Schemas map[string][]string `json:"yaml.schemas"`
	}{}
	require.NoError(t, json.Unmarshal([]byte(files[".vscode/settings.json"]), &settings))
	for url := range settings.Schemas {
		_, file, found := strings.Cut(url, "/"+scaffold.Release+"/")
		require.True(t, found, url)
		assert.FileExists(t, filepath.Join(checkout.Root(), file))
	}
	actionlint := checkout.Tool(t, "actionlint")
	out, err := exec.CommandContext(t.Context(), actionlint, filepath.Join(writeSets(t, "project"), ".github/workflows/plugins.yaml"),
		filepath.Join(writeSets(t, "github"), ".github/workflows/preview.yaml")).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// The hooks of the project are hooks of this repository.
func TestProject_hooksExist(t *testing.T) {
	t.Parallel()
	files, err := sets["project"].Files()
	require.NoError(t, err)
	var config struct {
		Repos []struct {
			Repo, Rev string
			Hooks     []struct{ ID string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(files[".pre-commit-config.yaml"]), &config))
	require.Len(t, config.Repos, 1)
	assert.Equal(t, "https://"+scaffold.Module, config.Repos[0].Repo)
	hooks, err := os.ReadFile(filepath.Join(checkout.Root(), ".pre-commit-hooks.yaml"))
	require.NoError(t, err)
	for _, hook := range config.Repos[0].Hooks {
		assert.Contains(t, string(hooks), "- id: "+hook.ID+"\n")
	}
}

// The configuration for kustomize is that of this repository, which is embedded from a copy.
func TestProject_hasNamesOfRepository(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(filepath.Join(checkout.Root(), "deploy", "kustomize", "names.yaml"))
	require.NoError(t, err)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile("templates/project/names.yaml.tmpl", want, 0o600))
	}
	files, err := sets["project"].Files()
	require.NoError(t, err)
	assert.Equal(t, string(want), files["kustomize/names.yaml"])
	module, err := os.ReadFile(filepath.Join(checkout.Root(), "go.mod"))
	require.NoError(t, err)
	assert.Contains(t, string(module), "module "+scaffold.Module+"\n")
}

// Policies have fields of their types alone, with and without params.
func TestPolicy_isValid(t *testing.T) {
	t.Parallel()
	for _, policy := range []scaffold.Policy{{Plugin: "cache"}, {Plugin: "postgres-db", Params: []string{"a", "b-c"}}} {
		files, err := policy.Files()
		require.NoError(t, err)
		parts := strings.Split(files[scaffold.PolicyFile(policy.Plugin)], "---\n")
		require.Len(t, parts, 4)
		for i, part := range parts {
			if i%2 == 1 {
				var binding admission.ValidatingAdmissionPolicyBinding
				require.NoError(t, yaml.UnmarshalStrict([]byte(part), &binding))
				assert.Equal(t, binding.Name, binding.Spec.PolicyName)
				continue
			}
			var one admission.ValidatingAdmissionPolicy
			require.NoError(t, yaml.UnmarshalStrict([]byte(part), &one))
			assert.NotEmpty(t, one.Spec.Validations)
			for _, validation := range one.Spec.Validations {
				assert.NotEmpty(t, validation.Message+validation.MessageExpression)
			}
		}
	}
}

func TestOperator_isFormatted(t *testing.T) {
	t.Parallel()
	files, err := sets["operator"].Files()
	require.NoError(t, err)
	for path, text := range files {
		formatted, err := format.Source([]byte(text))
		require.NoError(t, err, path)
		assert.Equal(t, string(formatted), text, path)
	}
}

func TestSets_refuse(t *testing.T) {
	t.Parallel()
	for want, g := range map[string]generator{
		`cluster: must not hold U+0000 (NUL) as "\x00" does`: scaffold.Project{Cluster: "\x00"},
		"cluster: must not be blank":                         scaffold.Project{Cluster: " "},
		`preview: must be github or gitlab, not "gitea"`:     scaffold.Project{Preview: "gitea"},
		`name: name "../db" must start with a letter`:        scaffold.API{Plugin: scaffold.Plugin{Name: "../db"}},
		"name: name must not be empty":                       scaffold.Policy{},
		`params: must hold "a" once`:                         scaffold.Policy{Plugin: "db", Params: []string{"a", "a"}},
	} {
		files, err := g.Files()
		require.EqualError(t, err, want)
		assert.Nil(t, files)
	}
}
