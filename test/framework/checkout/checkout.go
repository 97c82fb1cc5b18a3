// Package checkout builds programs from this checkout for tests, copies its files, and finds tools on this machine. Tests
// that render use copies, so the checkout does not change.
package checkout

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Root returns the checkout's folder.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// BuildFunctions builds every function into folder, as `make build` does.
func BuildFunctions(folder string) error {
	return goBuild(Root(), folder+string(filepath.Separator), "./functions/...")
}

// BuildCommands builds every command into folder, as `make build` does.
func BuildCommands(folder string) error {
	return goBuild(Root(), folder+string(filepath.Separator), "./cmd/...", "./kubebuilder/cmd/...")
}

// BuildProgram builds one package of the root module, given by its folder.
func BuildProgram(file, pkg string) error { return goBuild(Root(), file, "./"+pkg) }

// BuildRuntime builds every program of the runtime's module into folder.
func BuildRuntime(folder string) error {
	return goBuild(filepath.Join(Root(), "runtime"), folder+string(filepath.Separator), "./cmd/...")
}

// BuildTool builds the tool pinned by the module in a folder of tools/.
func BuildTool(file, name string) error {
	return goBuild(filepath.Join(Root(), "tools", name), file, "tool")
}

func goBuild(folder, output string, packages ...string) error {
	build := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", output}, packages...)...)
	build.Dir = folder
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", strings.Join(packages, " "), err, out)
	}
	return readSources(build, packages)
}

// readSources opens the folders of the packages that a build has compiled, with those they import, so that go test does not
// reuse a result of a test after they have changed: it knows the files that a test opens, but not those of its children
// (https://pkg.go.dev/cmd/go#hdr-Test_packages).
func readSources(build *exec.Cmd, packages []string) error {
	const format = `{{$folder := .Dir}}{{if and .Module (or .Module.Main .Module.Replace)}}{{$folder}}` +
		`{{range .EmbedFiles}}{{"\n"}}{{$folder}}/{{.}}{{end}}{{end}}`
	list := exec.Command("go", append([]string{"list", "-deps", "-f", format}, packages...)...)
	list.Dir, list.Env = build.Dir, build.Env
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list %s: %w", strings.Join(packages, " "), err)
	}
	for name := range strings.Lines(string(out)) {
		source, err := os.Open(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		_ = source.Close()
	}
	return nil
}

// Files lists the files that git tracks or would track: all, or those that match one of some patterns.
func Files(below ...string) ([]string, error) {
	list := exec.Command("git", append([]string{"ls-files", "-z", "-co", "--exclude-standard", "--"}, below...)...)
	list.Dir = Root()
	names, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	return strings.Split(strings.TrimSuffix(string(names), "\x00"), "\x00"), nil
}

// Copy copies the files of Files to a folder.
func Copy(folder string, below ...string) error {
	names, err := Files(below...)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyFile(filepath.Join(Root(), name), filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return nil // deleted in the work tree, but still in the index
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm())
}
