package precommit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/docker"
)

// hook is an entry of .pre-commit-hooks.yaml.
type hook struct {
	ID            string
	Name          string
	Description   string
	Language      string
	Entry         string
	Args          []string
	AlwaysRun     bool `yaml:"always_run"`
	PassFilenames bool `yaml:"pass_filenames"`
	RequireSerial bool `yaml:"require_serial"`
}

func manifest(t *testing.T) []hook {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), ".pre-commit-hooks.yaml"))
	require.NoError(t, err)
	var hooks []hook
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&hooks))
	require.NotEmpty(t, hooks)
	return hooks
}

// Each hook has three ids with the same effect: built with Go, as a container, and as a program on the PATH. Containers have
// no git to compare with.
func TestEachHookHasThreeIDs(t *testing.T) {
	t.Parallel()
	hooks := manifest(t)
	require.Zero(t, len(hooks)%3)
	for i := 0; i < len(hooks); i += 3 {
		program := hooks[i]
		function, arguments, _ := strings.Cut(program.Entry, " ")
		assert.DirExists(t, filepath.Join(checkout.Root(), "functions", function))
		assert.Equal(t, function, program.ID)
		for n, kind := range []struct{ suffix, language, entry string }{
			{"", "golang", function},
			{"-docker", "docker_image", docker.Restricted + " " + contract.ImageRegistry + "/" + function + ":" + contract.ImageTag},
			{"-system", "system", function},
		} {
			want := program
			want.ID += kind.suffix
			want.Language = kind.language
			want.Entry = strings.TrimSpace(kind.entry + " " + arguments)
			if kind.language == "docker_image" {
				want.Entry = strings.TrimSuffix(want.Entry, " --base-ref HEAD")
			}
			assert.Equal(t, want, hooks[i+n])
		}
		assert.True(t, program.RequireSerial, "output of several processes must not be mixed")
		assert.False(t, program.PassFilenames, "rules across documents need all files of the folder")
		assert.True(t, program.AlwaysRun, "removed and embedded files must be checked")
	}
}

func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	program := checkout.Program(t, "pre-commit", "pre-commit")
	out, err := exec.Command(program, "validate-manifest", filepath.Join(checkout.Root(), ".pre-commit-hooks.yaml")).CombinedOutput()
	require.NoError(t, err, "%s", out)
}
