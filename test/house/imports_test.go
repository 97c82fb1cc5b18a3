// Package house checks the rules of the house that no compiler checks: who may import what, and that what is released
// builds by itself.
package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/checkout"
)

const module = "github.com/resource-plugins/krm-functions/"

// goPackage is what `go list -json` tells of a package.
type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func TestFunctionsLinkNoKubernetesClient(t *testing.T) {
	t.Parallel()
	for _, function := range list(t, "./functions/...") {
		for _, dependency := range function.Deps {
			assert.False(t, strings.HasPrefix(dependency, "k8s.io/client-go"),
				"%s must not link %s", function.ImportPath, dependency)
		}
	}
}

func TestFunctionsAndPackagesAreHermetic(t *testing.T) {
	t.Parallel()
	forbidden := []string{"net", "net/http", "os/exec", "math/rand", "math/rand/v2", "time"}
	for _, p := range list(t, "./functions/...", "./pkg/...") {
		for _, imported := range p.Imports {
			if p.ImportPath != gitPackage || imported != "os/exec" && imported != "time" {
				assert.NotContains(t, forbidden, imported, "%s must not import it", p.ImportPath)
			}
		}
	}
}

// gitPackage is the one place that runs git, for --base-ref. What fs.FileInfo returns is why it imports time.
const gitPackage = module + "pkg/revision"

func TestOnlyValidationRunsGit(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./functions/...", "./pkg/...") {
		if p.ImportPath != gitPackage && p.ImportPath != module+"functions/validate-plugin" {
			assert.NotContains(t, p.Deps, gitPackage, "%s must not link it", p.ImportPath)
		}
	}
}

func TestPackagesKnowNoFunction(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./pkg/...") {
		for _, dependency := range p.Deps {
			assert.False(t, strings.HasPrefix(dependency, module+"functions/"), "%s must not import %s", p.ImportPath, dependency)
		}
	}
}

func TestWireKnowsYAMLOnly(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./pkg/krm", "./pkg/krm/internal/...") {
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, module) {
				assert.Equal(t, module+"pkg/krm/internal/scan", imported, "%s must import nothing else of ours", p.ImportPath)
				assert.Equal(t, module+"pkg/krm", p.ImportPath)
			}
		}
	}
}

func TestContractHasNoDependencies(t *testing.T) {
	t.Parallel()
	for _, imported := range list(t, "./pkg/contract")[0].Imports {
		assert.NotContains(t, imported, ".", "the runtime module shares the package")
	}
}

func TestBuildsWithAndWithoutWorkspace(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"GOWORK=off", "GOWORK="} {
		run(t, []string{setting}, "build", "./functions/...", "./pkg/...")
	}
	run(t, nil, "build", "./runtime/...")
}

// The modules must stay tidy, or a stranger's `go mod tidy` changes them.
func TestModulesAreTidy(t *testing.T) {
	t.Parallel()
	run(t, []string{"GOWORK=off"}, "mod", "tidy", "-diff")
}

func list(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	out := run(t, []string{"GOWORK=off"}, slices.Concat([]string{"list", "-json"}, patterns)...)
	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
	require.NotEmpty(t, packages)
	return packages
}

func run(t *testing.T, env []string, args ...string) []byte {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir = checkout.Root()
	command.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, "go %s\n%s%s", strings.Join(args, " "), out, stderr.String())
	return out
}
