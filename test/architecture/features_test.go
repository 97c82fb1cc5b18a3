package architecture

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// features are the folders that the core does not import, each with the tests about it elsewhere.
var features = []struct {
	folder string
	tests  []string
}{
	{"kubebuilder", []string{"pkg/validate/kubebuilder_test.go"}},
	{"stacks", []string{"pkg/validate/stacks_test.go"}},
	{"commands/local", []string{"test/framework/agreement/*.go"}},
	{"commands/cluster", nil},
	{"commands/review", nil},
	{"commands/lifecycle", nil},
	{"commands/watch", nil},
}

// ofAllFeatures are the tests of schemas, help and pages, which describe all features.
var ofAllFeatures = []string{"api/schemas/*_test.go", "pkg/validate/docs_test.go", "cmd/rplug/help_test.go",
	"cmd/rplug/options_test.go", "cmd/rplug/reference_test.go"}

// couldNotice are the packages of the core that read additions of features, but for those whose tests take minutes.
var couldNotice = []string{"./pkg/validate", "./internal/load", "./internal/build", "./internal/report"}

func isFeature(path string) bool {
	if strings.HasPrefix(path, module+"commands/") { // with the package that several of them share
		return true
	}
	for _, f := range features {
		if strings.HasPrefix(path+"/", module+f.folder+"/") {
			return true
		}
	}
	return false
}

// Features import the core, but the core imports no feature.
func TestCoreImportsNoFeature(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./api/...", "./internal/...", "./pkg/...") {
		for _, dependency := range p.Deps {
			assert.False(t, isFeature(dependency), "%s must not import %s", p.ImportPath, dependency)
		}
	}
}

// Without the folder of a feature and its lines in the mains, the rest builds and passes its tests.
func TestFeaturesCanBeTakenAway(t *testing.T) {
	t.Parallel()
	for _, f := range features {
		t.Run(f.folder, func(t *testing.T) {
			t.Parallel()
			rest := t.TempDir()
			require.NoError(t, checkout.Copy(rest))
			require.NoError(t, os.RemoveAll(filepath.Join(rest, f.folder)))
			for _, pattern := range slices.Concat(f.tests, ofAllFeatures) {
				files, err := filepath.Glob(filepath.Join(rest, pattern))
				require.NoError(t, err)
				require.NotEmpty(t, files, pattern)
				for _, file := range files {
					require.NoError(t, os.Remove(file))
				}
			}
			removeFromMains(t, rest, f.folder)
			goIn(t, rest, "build", "./...")
			goIn(t, rest, "vet", "./...")
			goIn(t, rest, append([]string{"test"}, couldNotice...)...)
		})
	}
}

// removeFromMains removes a feature's lines from the mains of a copy: its import and its use.
func removeFromMains(t *testing.T, rest, feature string) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^\s*(\w+ )?"` + module + feature + `(/\w+)*"\n|^\s*(renderphase\.Extension\{Extension: )?` +
		path.Base(feature) + `\.Extension\(\)\}?,\n`)
	removed := 0
	for _, pattern := range []string{"functions/*/main.go", "cmd/*/main.go"} {
		mains, err := filepath.Glob(filepath.Join(rest, pattern))
		require.NoError(t, err)
		for _, file := range mains {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			lines := len(line.FindAll(text, -1))
			assert.Contains(t, []int{0, 2}, lines, "%s must name the feature in one line, and its import in another", file)
			removed += lines
			require.NoError(t, os.WriteFile(file, line.ReplaceAll(text, nil), 0o600))
		}
	}
	require.NotZero(t, removed, "no main has the feature")
}

// goIn runs go in a copy. The build cache is shared with other copies and programs built by tests.
func goIn(t *testing.T, folder string, args ...string) {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "go %s\n%s", strings.Join(args, " "), out)
}
