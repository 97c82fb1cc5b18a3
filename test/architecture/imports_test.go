// Package architecture tests which packages may import which, that functions are hermetic, that features can be taken away,
// and that modules build on their own.
package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

const module = "github.com/resource-plugins/krm-functions/"

// goPackage has fields of `go list -json`.
type goPackage struct {
	ImportPath string
	Name       string
	Doc        string   // the first sentence of its comment
	GoFiles    []string // without those of tests
	Imports    []string
	Deps       []string
}

// layers lists the packages of the root module, lowest first: each may import only packages above it. allowed has standard
// packages that it may import although functions are hermetic.
var layers = []struct {
	path    string
	allowed []string
}{
	{path: "internal/contract"},                          // standard library only: the runtime module shares it
	{path: "internal/sharedvolume"},                      // and these, too: rplug runs steps with the same code
	{path: "internal/runner", allowed: []string{"time"}}, // scripts have deadlines
	{path: "api/v1alpha1"},
	{path: "stacks/api/v0"},
	{path: "stacks/api/v1alpha1"},
	{path: "stacks/api/v1"},
	{path: "pkg/krm/internal/scan"},
	{path: "internal/yamlprint"},
	{path: "pkg/krm"},
	{path: "internal/strictyaml"},
	{path: "internal/version"},
	{path: "internal/digest"},
	{path: "internal/document"},
	{path: "internal/image"},
	{path: "internal/overlay"},
	{path: "internal/template"},
	{path: "internal/edit"},
	{path: "stacks/pack"},
	{path: "stacks/v010"},
	{path: "pkg/validate"},
	{path: "pkg/resolve", allowed: []string{"time"}}, // days are parsed, no clock is read
	{path: "stacks/solver"},
	{path: "stacks/solver/bruteforce"},
	{path: "stacks/dependency"},
	{path: "internal/engine"},
	{path: "internal/engine/jobs"},
	{path: "internal/engine/argo"},
	{path: "internal/engine/tekton"},
	{path: "internal/engines"},
	{path: "pkg/render"},
	{path: "pkg/render/sandbox"},
	{path: "stacks/install"},
	{path: "internal/diagram"},
	{path: "internal/gitignore"},
	{path: "internal/load", allowed: []string{"os/exec", "time"}}, // git, for --base-ref; fs.FileInfo has a time
	{path: "internal/extension"},
	{path: "internal/project"},
	{path: "internal/report"},
	{path: "internal/status"},
	{path: "internal/cli", allowed: []string{"os/signal", "time"}},
	{path: "internal/transaction"},
	{path: "internal/oci", allowed: []string{"net", "net/http", "time"}}, // registries, only for rplug
	{path: "internal/build"},
	{path: "internal/renderdiff"},
	{path: "internal/htmlreport"},
	{path: "internal/function"},
	{path: "internal/scaffold"},
	{path: "internal/subcommand"},
	{path: "internal/rplug", allowed: []string{"os/exec", "time"}}, // kubectl; statuses have ages
	{path: "stacks/command"},
}

func TestImportsGoOneWay(t *testing.T) {
	t.Parallel()
	level := map[string]int{}
	for i, layer := range layers {
		level[module+layer.path] = i
	}
	packages := slices.DeleteFunc(list(t, "./api/...", "./internal/...", "./pkg/...", "./stacks/..."), func(p goPackage) bool { return len(p.GoFiles) == 0 })
	require.Len(t, packages, len(layers), "layers must list every package")
	for _, p := range packages {
		require.Contains(t, level, p.ImportPath)
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, module) {
				assert.Contains(t, level, imported, "%s is no package of the core: only mains, tests and features import features", imported)
				assert.Less(t, level[imported], level[p.ImportPath], "%s must not import %s", p.ImportPath, imported)
			}
		}
	}
}

func TestPackagesAreHermetic(t *testing.T) {
	t.Parallel()
	forbidden := []string{"net", "net/http", "os/exec", "math/rand", "math/rand/v2", "time"}
	allowed := map[string][]string{}
	for _, layer := range layers {
		allowed[module+layer.path] = layer.allowed
	}
	patterns := []string{"./functions/...", "./api/...", "./internal/...", "./pkg/...", "./stacks/..."}
	functions := list(t, "./functions/...")
	for _, f := range features {
		links := func(function goPackage) bool { return slices.Contains(function.Deps, module+f.folder) }
		if slices.ContainsFunc(functions, links) {
			patterns = append(patterns, "./"+f.folder)
		}
	}
	for _, p := range list(t, patterns...) {
		for _, imported := range p.Imports {
			if !slices.Contains(allowed[p.ImportPath], imported) {
				assert.NotContains(t, forbidden, imported, "%s must not import it", p.ImportPath)
			}
		}
	}
}

// The faults of crossplane v0.10.0 are kept for its output alone: what else reads packages does not need them.
func TestV010IsALeaf(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./...") {
		if p.ImportPath != module+"stacks/command" {
			assert.NotContains(t, p.Imports, module+"stacks/v010", p.ImportPath)
		}
	}
}

// ofStacks are the packages of the core that still import stacks: none may be added.
var ofStacks = []string{"pkg/validate", "internal/load", "internal/cli", "internal/build", "internal/function",
	"internal/htmlreport", "internal/rplug"}

func TestCoreDoesNotImportStacks(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./api/...", "./pkg/...", "./internal/...") {
		imports := slices.ContainsFunc(p.Imports, func(path string) bool { return strings.HasPrefix(path, module+"stacks/") })
		path := strings.TrimPrefix(p.ImportPath, module)
		assert.Equal(t, slices.Contains(ofStacks, path), imports, path)
	}
}

// The solver knows numbers only, so that it can be held against a search that tries everything.
func TestSolverImportsNothing(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"slices"}, list(t, "./stacks/solver")[0].Imports)
}

// A function is hermetic, so it links no client of Kubernetes or of registries. Subcommands are those of rplug.
func TestFunctionsLinkNoClients(t *testing.T) {
	t.Parallel()
	for _, function := range list(t, "./functions/...") {
		for _, dependency := range function.Deps {
			for _, client := range []string{"k8s.io/client-go", "oras.land/", module + "internal/oci", "github.com/spf13/cobra"} {
				assert.False(t, strings.HasPrefix(dependency, client), "%s must not link %s", function.ImportPath, dependency)
			}
		}
	}
}

// The libraries of the field are in what ships, not in tests alone.
func TestProgramsLinkLibrariesOfTheField(t *testing.T) {
	t.Parallel()
	linked := map[string]bool{}
	for _, program := range list(t, "./functions/...", "./cmd/...") {
		for _, dependency := range program.Deps {
			linked[dependency] = true
		}
	}
	for _, library := range []string{
		"sigs.k8s.io/kustomize/kyaml/yaml", "sigs.k8s.io/kustomize/kyaml/fn/framework", "sigs.k8s.io/kustomize/api/krusty",
		"k8s.io/api/batch/v1", "k8s.io/apimachinery/pkg/util/strategicpatch", "sigs.k8s.io/yaml", "github.com/Masterminds/semver/v3",
	} {
		assert.True(t, linked[library], library)
	}
}

// The package of a function contains only its main.
func TestFunctionsAreMains(t *testing.T) {
	t.Parallel()
	for _, function := range list(t, "./functions/...") {
		assert.Equal(t, []string{module + "internal/cli", module + "internal/function"}, slices.DeleteFunc(function.Imports, isFeature))
	}
}

// shared are the packages that the programs in Pods and rplug have in common.
var shared = []string{"internal/contract", "internal/sharedvolume", "internal/runner"}

func TestSharedPackagesHaveNoDependencies(t *testing.T) {
	t.Parallel()
	for _, path := range shared {
		for _, imported := range list(t, "./"+path)[0].Imports {
			first, _, _ := strings.Cut(imported, "/")
			isShared := slices.Contains(shared, strings.TrimPrefix(imported, module))
			assert.True(t, isShared || !strings.Contains(first, "."), "the runtime module shares %s: it must not import %s", path, imported)
		}
	}
}

// The manager waits in every Pod, and the runner is copied into one: they link the standard library and the shared packages
// alone. The unpacker runs once, and unpacks packages with the code of the functions. No program needs client-go.
func TestProgramsInPodsAreSmall(t *testing.T) {
	t.Parallel()
	const program = module + "runtime/"
	for _, p := range listIn(t, "runtime", "./cmd/...") {
		linksPackages := false
		for _, dependency := range p.Deps {
			first, _, _ := strings.Cut(dependency, "/")
			isStandard := !strings.Contains(first, ".")
			isOwn := strings.HasPrefix(dependency, program) || slices.Contains(shared, strings.TrimPrefix(dependency, module))
			linksPackages = linksPackages || !isStandard && !isOwn
			assert.False(t, strings.HasPrefix(dependency, "k8s.io/client-go"), "%s must not link %s", p.ImportPath, dependency)
			if p.ImportPath != program+"cmd/unpacker" {
				assert.True(t, isStandard || isOwn, "%s must not link %s", p.ImportPath, dependency)
			}
		}
		assert.Equal(t, p.ImportPath == program+"cmd/unpacker", linksPackages, p.ImportPath)
	}
}

// The sizes of the programs in Pods, as tools/images builds them, in bytes. The manager needs 6.4 MB for Go's HTTP client with
// TLS. The unpacker links kyaml and k8s.io/api in addition: without both it would have about 7 MB.
func TestProgramsInPodsHaveASize(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	run(t, []string{"GOWORK=off", "CGO_ENABLED=0"}, "build", "-C", "runtime", "-trimpath", "-ldflags=-s -w",
		"-o", folder+string(filepath.Separator), "./cmd/...")
	for program, most := range map[string]int64{"runner": 3e6, "manager": 7e6, "unpacker": 17e6} {
		info, err := os.Stat(filepath.Join(folder, program))
		require.NoError(t, err)
		assert.LessOrEqual(t, info.Size(), most, program)
	}
}

// modules are the folders of the modules in the workspace.
var modules = []string{".", "conformance", "runtime"}

func TestModulesStandAlone(t *testing.T) {
	t.Parallel()
	for _, module := range modules {
		run(t, []string{"GOWORK=off"}, "-C", module, "vet", "./...")
		// The modules must stay tidy, or a stranger's `go mod tidy` changes them.
		run(t, []string{"GOWORK=off"}, "-C", module, "mod", "tidy", "-diff")
	}
	run(t, []string{"GOWORK="}, "build", "./...", "./conformance/...", "./runtime/...")
}

// What is installed with `go install MODULE/…@VERSION` must have no replace: go refuses it.
func TestRootModuleHasNoReplace(t *testing.T) {
	t.Parallel()
	out := run(t, []string{"GOWORK=off"}, "mod", "edit", "-json")
	var parsed struct{ Replace []any }
	require.NoError(t, json.Unmarshal(out, &parsed))
	assert.Empty(t, parsed.Replace)
}

func list(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	return listIn(t, ".", patterns...)
}

// listIn lists packages of the module in a folder of the checkout.
func listIn(t *testing.T, folder string, patterns ...string) []goPackage {
	t.Helper()
	out := run(t, []string{"GOWORK=off"}, slices.Concat([]string{"list", "-C", folder, "-json"}, patterns)...)
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
