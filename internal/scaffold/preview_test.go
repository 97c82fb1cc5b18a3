package scaffold_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// preview generates the additional files of a project with environments for pull requests, without copies of examples.
type preview struct{ forge string }

func (p preview) Files() (scaffold.Files, error) {
	files, err := p.project().Files()
	if err != nil {
		return nil, err
	}
	plain, err := scaffold.Project{}.Files()
	maps.DeleteFunc(files, func(path, text string) bool { return plain[path] == text || exampleFiles[path] != "" })
	return files, err
}

func (p preview) project() scaffold.Project {
	return scaffold.Project{Cluster: "staging", Preview: p.forge}
}

// exampleFiles are the files of such a project that are files of examples, too.
var exampleFiles = map[string]string{
	"deploy/kustomization.yaml":    "pull-requests/deploy/kustomization.yaml",
	"deploy/output-secret.yaml":    "pull-requests/deploy/output-secret.yaml",
	"deploy/sandbox.yaml":          "pull-requests/deploy/sandbox.yaml",
	"deploy/shop.yaml":             "pull-requests/deploy/shop.yaml",
	"plugins/postgres/plugin.yaml": "postgres/plugin.yaml",
	scaffold.PreviewScript:         "pull-requests/preview",
}

// The example is the output of the scaffold, so that the tests of the example hold for both. The source of the plugin is the
// example, that of all others the template.
func TestPreview_isTheExample(t *testing.T) {
	t.Parallel()
	files, err := preview{"github"}.project().Files()
	require.NoError(t, err)
	for path, example := range exampleFiles {
		file, got := filepath.Join(checkout.Root(), "examples", example), files[path]
		if path == scaffold.PreviewScript {
			got = strings.Replace(got, "\nplugins=plugins\n", "\nplugins=../postgres/plugin.yaml\n", 1)
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		switch {
		case os.Getenv("UPDATE_GOLDEN") == "":
			assert.Equal(t, string(want), got, path)
		case example == "postgres/plugin.yaml":
			require.NoError(t, os.WriteFile("templates/preview/shop-postgres.yaml.tmpl", want, 0o600))
		default:
			require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
		}
	}
}

// A project with environments for pull requests is valid, and the sandbox in its folder deploy is not one of the cluster.
func TestPreview_validates(t *testing.T) {
	t.Parallel()
	for _, forge := range scaffold.Forges {
		files, err := preview{forge}.project().Files()
		require.NoError(t, err)
		var project struct{ Exclude []string }
		require.NoError(t, yaml.Unmarshal([]byte(files["rplug.yaml"]), &project))
		assert.Contains(t, project.Exclude, "/deploy/")
		assert.Contains(t, files[".krmignore"], "\ndeploy\n")
		folder := t.TempDir()
		_, err = scaffold.Write(t.Context(), folder, files, scaffold.WriteOptions{})
		require.NoError(t, err)
		read, err := load.Read([]string{folder}, load.Options{})
		require.NoError(t, err)
		var documents []*krm.Item
		for _, d := range read.Documents {
			documents = append(documents, d.Item)
		}
		assert.NotEmpty(t, render(t, documents...))
	}
}

// Actions are pinned by commit; the token may do no more than each job needs; and nothing that a user controls is an
// expression in a script.
func TestPreview_workflowIsSafe(t *testing.T) {
	t.Parallel()
	files, err := sets["github"].Files()
	require.NoError(t, err)
	plain, err := sets["project"].Files()
	require.NoError(t, err)
	text := files[".github/workflows/preview.yaml"]
	var workflow struct {
		Permissions map[string]string
		Concurrency struct {
			Group            string
			CancelInProgress *bool `json:"cancel-in-progress"`
		}
		Jobs map[string]struct {
			Permissions map[string]string
			Steps       []struct{ Uses, Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &workflow))
	assert.Empty(t, workflow.Permissions)
	assert.Contains(t, text, "\npermissions: {}\n")
	assert.Contains(t, workflow.Concurrency.Group, "github.event.number")
	require.NotNil(t, workflow.Concurrency.CancelInProgress)
	assert.False(t, *workflow.Concurrency.CancelInProgress, "a close that is canceled leaves half of an environment")
	const read, write = "read", "write"
	for name, want := range map[string]map[string]string{
		"open":   {"contents": read, "pull-requests": write},
		"close":  {"contents": read},
		"sweep":  {"contents": read, "pull-requests": read},
		"expire": {"contents": write, "pull-requests": write},
	} {
		assert.Equal(t, want, workflow.Jobs[name].Permissions, name)
		for _, step := range workflow.Jobs[name].Steps {
			assert.NotContains(t, step.Run, "${{", name)
			if step.Uses != "" {
				assert.Regexp(t, `^[a-z/-]+@[0-9a-f]{40}$`, step.Uses)
				assert.Contains(t, plain[".github/workflows/plugins.yaml"], "uses: "+step.Uses+" # v", "the versions of the other workflow")
			}
		}
	}
	assert.Len(t, workflow.Jobs, 4)
	assert.NotContains(t, text, "pull_request_target")
}
