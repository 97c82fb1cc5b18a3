// Package architecture tests which packages may import each other, that functions are hermetic, that features can be
// removed, and that modules build independently.
package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
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
	Doc        string   // first sentence of its comment
	GoFiles    []string // without tests
	Imports    []string
	Deps       []string
}

// layers lists the packages of the root module, lowest first: each may import only packages before it. allowed lists
// standard packages that it may import although functions are hermetic.
var layers = []struct {
	path    string
	allowed []string
}{
	{path: "internal/contract"}, // standard library only: the runtime module shares it
	// And this one, too: rplug runs steps with the same code. Scripts have deadlines.
	{path: "internal/runner", allowed: []string{"time"}},
	{path: "api/v1alpha1"},
	{path: "pkg/krm/internal/scan"},
	{path: "internal/yamlprint"},
	{path: "pkg/krm/field"},
	{path: "internal/strictyaml"},
	{path: "pkg/krm"},
	{path: "internal/document"},
	{path: "internal/overlay"},
	{path: "internal/edit"},
	{path: "pkg/validate"},
	{path: "pkg/resolve", allowed: []string{"time"}}, // days are parsed, no clock is read
	{path: "internal/engine"},
	{path: "internal/engine/jobs"},
	{path: "internal/engine/argo"},
	{path: "internal/engine/tekton"},
	{path: "internal/engines"},
	{path: "pkg/render"},
	{path: "pkg/render/sandbox"},
	{path: "internal/diagram"},
	{path: "internal/load", allowed: []string{"os/exec", "time"}}, // git, for --base-ref; fs.FileInfo has a time
	{path: "internal/extension"},
	{path: "internal/report"},
	{path: "internal/atomicfile", allowed: []string{"time"}},  // waiting for a lock has an end
	{path: "internal/incremental", allowed: []string{"time"}}, // times of files
	{path: "internal/cli", allowed: []string{"os/signal", "time"}},
	{path: "internal/parts"},
	{path: "internal/oci", allowed: []string{"net", "net/http", "time"}}, // registries, only for rplug
	{path: "internal/function/validateplugin"},
	{path: "internal/function/resolveversion"},
	{path: "internal/function/renderphase"},
	{path: "internal/function/rendersandbox"},
	{path: "internal/function/importplugin"},
	{path: "internal/build"},
	{path: "internal/scaffold"},
	{path: "internal/rplug", allowed: []string{"time"}}, // days are parsed, no clock is read
}

func TestImportsGoOneWay(t *testing.T) {
	t.Parallel()
	level := map[string]int{}
	for i, layer := range layers {
		level[module+layer.path] = i
	}
	packages := slices.DeleteFunc(list(t, "./api/...", "./internal/...", "./pkg/..."), func(p goPackage) bool { return len(p.GoFiles) == 0 })
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

// One person can maintain the core as long as it is small: with a new capability, a feature grows, or as much is deleted in the
// core. Lines are counted without tests and generated code, and packages without mains.
func TestCoreIsSmall(t *testing.T) {
	t.Parallel()
	const maxPackages, maxLines = 38, 54_000
	lines, packages := 0, 0
	for _, p := range list(t, "./api/...", "./internal/...", "./pkg/...", "./functions/...", "./cmd/...") {
		if p.Name != "main" {
			packages++
		}
		for _, file := range p.GoFiles {
			if strings.HasPrefix(file, "zz_generated") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(checkout.Root(), strings.TrimPrefix(p.ImportPath, module), file))
			require.NoError(t, err)
			lines += bytes.Count(text, []byte("\n"))
		}
	}
	assert.LessOrEqual(t, packages, maxPackages)
	assert.LessOrEqual(t, lines, maxLines)
	t.Logf("%d packages, %d lines", packages, lines)
}

func TestPackagesAreHermetic(t *testing.T) {
	t.Parallel()
	forbidden := []string{"net", "net/http", "os/exec", "math/rand", "math/rand/v2", "time"}
	allowed := map[string][]string{}
	for _, layer := range layers {
		allowed[module+layer.path] = layer.allowed
	}
	patterns := []string{"./functions/...", "./api/...", "./internal/...", "./pkg/..."}
	for _, function := range list(t, "./functions/...") {
		patterns = append(patterns, slices.DeleteFunc(function.Deps, func(path string) bool { return !isFeature(path) })...)
	}
	for _, p := range list(t, patterns...) {
		for _, imported := range p.Imports {
			if !slices.Contains(allowed[p.ImportPath], imported) {
				assert.NotContains(t, forbidden, imported, "%s must not import it", p.ImportPath)
			}
		}
	}
}

// Package v010 reproduces the faults of crossplane v0.10.0 for its output; other code that reads packages does not need it.
func TestV010IsALeaf(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./...") {
		if p.ImportPath != module+"stacks/command" {
			assert.NotContains(t, p.Imports, module+"stacks/v010", p.ImportPath)
		}
	}
}

// The solver knows numbers only, so that it can be held against a search that tries everything.
func TestSolverImportsNothing(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"slices"}, list(t, "./stacks/solver")[0].Imports)
}

// Functions are hermetic, so they link no clients of Kubernetes or registries. Only rplug has subcommands.
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

// A pipeline starts each function: the framework's validator of schemas compiles patterns for longer than all packages of ours.
func TestFunctionsStartWithoutTheFramework(t *testing.T) {
	t.Parallel()
	for _, function := range list(t, "./functions/...") {
		assert.NotContains(t, function.Deps, "sigs.k8s.io/kustomize/kyaml/fn/framework", function.ImportPath)
		assert.NotContains(t, function.Deps, "k8s.io/kube-openapi/pkg/validation/strfmt", function.ImportPath)
	}
}

// Functions that render nothing link no renderer, no engine, and nothing that merges Pod templates.
func TestOnlyRenderersRender(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"validate-plugin", "resolve-version", "import-plugin"} {
		for _, dependency := range list(t, "./functions/"+name)[0].Deps {
			for _, other := range []string{"pkg/render", "internal/engine", "stacks/install"} {
				assert.False(t, strings.HasPrefix(dependency, module+other), "%s must not link %s", name, dependency)
			}
			assert.NotEqual(t, "k8s.io/apimachinery/pkg/util/strategicpatch", dependency, name)
		}
	}
}

// The programs, not only their tests, use the established libraries.
func TestProgramsLinkLibrariesOfTheField(t *testing.T) {
	t.Parallel()
	linked := map[string]bool{}
	for _, program := range list(t, "./functions/...", "./cmd/...") {
		for _, dependency := range program.Deps {
			linked[dependency] = true
		}
	}
	for _, library := range []string{
		"sigs.k8s.io/kustomize/kyaml/yaml", "sigs.k8s.io/kustomize/kyaml/kio", "sigs.k8s.io/kustomize/api/krusty",
		"k8s.io/api/batch/v1", "k8s.io/apimachinery/pkg/util/strategicpatch", "sigs.k8s.io/yaml", "github.com/Masterminds/semver/v3",
	} {
		assert.True(t, linked[library], library)
	}
}

// The package of a function contains only its main.
func TestFunctionsAreMains(t *testing.T) {
	t.Parallel()
	for _, function := range list(t, "./functions/...") {
		own := strings.ReplaceAll(path.Base(function.ImportPath), "-", "")
		imports := slices.DeleteFunc(function.Imports, func(path string) bool { return isFeature(path) || path == module+"stacks" })
		assert.Equal(t, []string{module + "internal/cli", module + "internal/function/" + own}, imports)
	}
}

// shared are the packages that the programs in Pods and rplug have in common.
var shared = []string{"internal/contract", "internal/runner", "commands/lifecycle/expiry", "stacks/unpacking"}

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

// unpacked are the packages of this module that only the unpacker links, and libraries those of others: go-yaml and the parser
// of image references. kyaml, k8s.io/api and apimachinery bring kube-openapi and protobuf, which make it twice as large.
var (
	unpacked = []string{
		"internal/strictyaml", "internal/yamlprint", "pkg/krm/field", "stacks/api/v1alpha1", "stacks/imageref", "stacks/registry",
	}
	libraries = []string{"github.com/distribution/reference", "github.com/opencontainers/go-digest", "go.yaml.in/yaml/v3"}
)

// The manager waits in every Pod, and the runner is copied into each of them: they link only the standard library and the
// shared packages. The unpacker unpacks packages with the code of the functions, and needs no network.
func TestProgramsInPodsAreSmall(t *testing.T) {
	t.Parallel()
	const program = module + "runtime/"
	var linked []string
	for _, p := range listIn(t, "runtime", "./cmd/...") {
		isManager := p.ImportPath == program+"cmd/manager"
		assert.Equal(t, isManager, slices.Contains(p.Deps, "net/http"), "only the manager has a network: %s", p.ImportPath)
		for _, dependency := range p.Deps {
			first, _, _ := strings.Cut(dependency, "/")
			isStandard := !strings.Contains(first, ".")
			if isStandard || strings.HasPrefix(dependency, program) || slices.Contains(shared, strings.TrimPrefix(dependency, module)) {
				continue
			}
			assert.Equal(t, program+"cmd/unpacker", p.ImportPath, "%s must not link %s", p.ImportPath, dependency)
			linked = append(linked, strings.TrimPrefix(dependency, module))
		}
	}
	assert.ElementsMatch(t, slices.Concat(unpacked, libraries), linked)
}

// Limits of the programs in Pods as built by tools/images, in bytes. The manager needs 6.1 MB for Go's HTTP client with TLS,
// which the others do not link.
func TestProgramsInPodsHaveASize(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	run(t, []string{"GOWORK=off", "CGO_ENABLED=0"}, "build", "-C", "runtime", "-trimpath", "-ldflags=-s -w",
		"-o", folder+string(filepath.Separator), "./cmd/...")
	for program, most := range map[string]int64{"runner": 3e6, "manager": 7e6, "unpacker": 4e6} {
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
		// Modules must be tidy, or `go mod tidy` of a contributor changes them.
		run(t, []string{"GOWORK=off"}, "-C", module, "mod", "tidy", "-diff")
	}
	run(t, []string{"GOWORK="}, "build", "./...", "./conformance/...", "./runtime/...")
}

// `go install MODULE/…@VERSION` rejects a module with a replace.
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

// listIn lists the packages of the module in a folder of the checkout.
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
		if len(p.GoFiles) > 0 { // the others are tests of several packages
			packages = append(packages, p)
		}
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
