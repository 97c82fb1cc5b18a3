// Package action runs the steps of the GitHub Action like a runner: with the inputs of a workflow, using releases on a local
// server.
package action

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

type action struct {
	Inputs map[string]struct {
		Required bool
		Default  string
	}
	Runs struct {
		Steps []struct {
			ID, Shell, Run string
			Env            map[string]string
		}
	}
}

func read(t *testing.T) action {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "action.yml"))
	require.NoError(t, err)
	var a action
	require.NoError(t, yaml.Unmarshal(text, &a))
	return a
}

// runner is a GitHub runner with its files in a folder.
type runner struct {
	folder, work     string
	system           string
	architecture, ca string
	target           string // branch of a pull request
}

// expression matches an input in a value.
var expression = regexp.MustCompile(`\$\{\{ inputs\.([a-z]+) \}\}`)

// use runs the steps of the action with inputs, and returns their output and the first exit code that is not 0.
func (r runner) use(t *testing.T, inputs map[string]string) (output string, code int) {
	t.Helper()
	a := read(t)
	path := os.Getenv("PATH")
	for _, file := range []string{"path", "output"} { // a runner creates these files for each use
		require.NoError(t, os.RemoveAll(filepath.Join(r.folder, file)))
	}
	for _, step := range a.Runs.Steps {
		require.Equal(t, "bash", step.Shell)
		require.NotContains(t, step.Run, "${{")
		script := filepath.Join(r.folder, "step.sh")
		require.NoError(t, os.WriteFile(script, []byte(step.Run), 0o600))
		// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell
		command := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
		command.Dir = r.work
		command.Env = append(os.Environ(), "PATH="+path, "GITHUB_ACTION_PATH="+checkout.Root(), "RUNNER_TEMP="+r.folder,
			"RUNNER_OS="+r.system, "RUNNER_ARCH="+r.architecture, "GITHUB_PATH="+r.folder+"/path",
			"GITHUB_OUTPUT="+r.folder+"/output", "CURL_CA_BUNDLE="+r.ca,
			"GITHUB_BASE_REF="+r.target, "GIT_CONFIG_GLOBAL="+os.DevNull)
		for name, value := range step.Env {
			value = expression.ReplaceAllStringFunc(value, func(found string) string {
				name := expression.FindStringSubmatch(found)[1]
				require.Contains(t, a.Inputs, name)
				if given, ok := inputs[name]; ok {
					return given
				}
				require.False(t, a.Inputs[name].Required, name)
				return a.Inputs[name].Default
			})
			require.NotContains(t, value, "${{")
			command.Env = append(command.Env, name+"="+value)
		}
		out, err := command.CombinedOutput()
		output += string(out)
		if err != nil {
			return output, command.ProcessState.ExitCode()
		}
		added, err := os.ReadFile(filepath.Join(r.folder, "path"))
		require.NoError(t, err)
		path = strings.TrimSpace(string(added)) + ":" + path
	}
	return output, 0
}

// program returns an rplug of this checkout.
var program = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "action-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "rplug")
	if err := checkout.BuildProgram(file, "cmd/rplug"); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// releases serves the files of a release v0.1.0 with rplug from this checkout, and returns a runner that uses it.
func releases(t *testing.T) (r runner, inputs map[string]string, files map[string][]byte) {
	t.Helper()
	checkout.Program(t, "curl", "curl")
	content, err := program()
	require.NoError(t, err)
	var archive bytes.Buffer
	compressed := gzip.NewWriter(&archive)
	w := tar.NewWriter(compressed)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "rplug", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(content))}))
	_, err = w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, compressed.Close())

	name := "rplug_0.1.0_linux_" + runtime.GOARCH + ".tar.gz"
	files = map[string][]byte{"/v0.1.0/" + name: archive.Bytes()}
	files["/v0.1.0/checksums.txt"] = fmt.Appendf(nil, "%s  other.tar.gz\n%s  %s\n", sum(nil), sum(archive.Bytes()), name)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		content, ok := files[request.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(server.Close)
	r = runner{folder: t.TempDir(), work: t.TempDir(), system: "Linux"}
	r.architecture = map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH]
	r.ca = filepath.Join(r.folder, "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(r.ca, certificate, 0o600))
	require.NoError(t, checkout.Copy(r.work, "examples/hello-db"))
	inputs = map[string]string{
		"version": "v0.1.0", "checksum": sum(files["/v0.1.0/checksums.txt"]), "releases": server.URL, "paths": "examples\n",
	}
	return r, inputs, files
}

func sum(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}

func TestAction_validatesAndChecks(t *testing.T) {
	t.Parallel()
	r, inputs, _ := releases(t)
	output, code := r.use(t, inputs)
	require.Zero(t, code, output)
	outputs, err := os.ReadFile(filepath.Join(r.folder, "output"))
	require.NoError(t, err)
	folder := strings.TrimPrefix(strings.TrimSpace(string(outputs)), "folder=")
	assert.FileExists(t, filepath.Join(folder, "rplug"))

	inputs["command"] = "check"
	output, code = r.use(t, inputs)
	assert.Equal(t, 1, code, output)
	assert.Contains(t, output, "rendered/shared.yaml: [error] file is missing")
	build := exec.Command(filepath.Join(folder, "rplug"), "build", "--output-dir", "rendered", "examples")
	build.Dir = r.work
	require.NoError(t, build.Run())
	output, code = r.use(t, inputs)
	assert.Zero(t, code, output)

	inputs["command"], inputs["paths"] = "none", ""
	output, code = r.use(t, inputs)
	assert.Zero(t, code, output)
	inputs["command"] = "apply"
	output, code = r.use(t, inputs)
	assert.Equal(t, 2, code, output)
}

// A pull request that removes a sandbox without its teardown fails, also in a clone of its last commit: the target branch is
// fetched. A push is compared with the commit before.
func TestAction_comparesWithTheStateBefore(t *testing.T) {
	t.Parallel()
	r, inputs, _ := releases(t)
	git := func(folder string, args ...string) {
		t.Helper()
		command := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=t", "-c", "user.email=t@localhost"}, args...)...)
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s: %s", args, out)
	}
	upstream := r.work
	git(upstream, "init", "-q", "-b", "main")
	git(upstream, "add", "-A")
	git(upstream, "commit", "-q", "-m", "a sandbox")
	git(upstream, "checkout", "-q", "-b", "feature")
	git(upstream, "rm", "-q", "examples/hello-db/sandbox.yaml")
	git(upstream, "commit", "-q", "-m", "no sandbox")
	r.work = t.TempDir()
	git(r.work, "clone", "-q", "--depth", "1", "--branch", "feature", "file://"+upstream, ".")

	const leak = `sandbox "feature-x" is removed without its teardown`
	r.target = "main"
	output, code := r.use(t, inputs)
	assert.Equal(t, 1, code, output)
	assert.Contains(t, output, leak)
	inputs["base"] = "none"
	output, code = r.use(t, inputs)
	assert.Zero(t, code, output)
	delete(inputs, "base")
	r.target = ""
	output, code = r.use(t, inputs)
	assert.Equal(t, 1, code, output)
	assert.Contains(t, output, leak)

	r.target = "nowhere"
	output, code = r.use(t, inputs)
	assert.Equal(t, 2, code, output)
	assert.Contains(t, output, "::error title=rplug::the target branch must be in the clone")

	r.target, r.work = "", t.TempDir() // no clone
	require.NoError(t, checkout.Copy(r.work, "examples/hello-db"))
	output, code = r.use(t, inputs)
	assert.Zero(t, code, output)
	assert.Contains(t, output, "::notice title=rplug::compared with no older state")
}

// matcher is a problem matcher: https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md.
type matcher struct {
	ProblemMatcher []struct {
		Owner, Severity string
		Pattern         []struct {
			Regexp                      string
			File, Line, Column, Message int
		}
	}
}

func TestAction_annotatesFindings(t *testing.T) {
	t.Parallel()
	r, inputs, _ := releases(t)
	path := filepath.Join(r.work, "examples", "hello-db", "plugin.yaml")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte("inputs:"), []byte("input:"), 1), 0o600))
	output, code := r.use(t, inputs)
	assert.Equal(t, 1, code, output)

	file := strings.TrimPrefix(strings.Split(output, "\n")[0], "::add-matcher::")
	rules, err := os.ReadFile(file)
	require.NoError(t, err)
	var m matcher
	require.NoError(t, yaml.UnmarshalStrict(rules, &m))
	found := 0
	for _, rule := range m.ProblemMatcher {
		pattern := rule.Pattern[0]
		expression := regexp.MustCompile(pattern.Regexp)
		for line := range strings.Lines(output) {
			if match := expression.FindStringSubmatch(strings.TrimSpace(line)); match != nil && rule.Severity == "error" {
				assert.Equal(t, "examples/hello-db/plugin.yaml", match[pattern.File])
				assert.Regexp(t, `^\d+$`, match[pattern.Line])
				assert.Contains(t, match[pattern.Message], `unknown key "input"`)
				found++
			}
		}
	}
	assert.Equal(t, 1, found, output)
}

func TestAction_installsNothingUnverified(t *testing.T) {
	t.Parallel()
	r, inputs, files := releases(t)
	archive := "/v0.1.0/rplug_0.1.0_linux_" + runtime.GOARCH + ".tar.gz"
	checksums := string(files["/v0.1.0/checksums.txt"])
	for name, test := range map[string]struct {
		change func(map[string]string, *runner)
		want   string
	}{
		"no release":    {func(in map[string]string, _ *runner) { in["version"] = "main" }, "version must be a release such as v0.1.0"},
		"a command":     {func(in map[string]string, _ *runner) { in["version"] = "v0.1.0$(touch x)" }, "version must be a release"},
		"no checksum":   {func(in map[string]string, _ *runner) { in["checksum"] = "abc" }, "64 hexadecimal digits"},
		"other release": {func(in map[string]string, _ *runner) { in["version"] = "v0.2.0" }, "cannot download"},
		"HTTP":          {func(in map[string]string, _ *runner) { in["releases"] = "http://127.0.0.1:1" }, "cannot download"},
		"other checksums": {func(map[string]string, *runner) {
			files["/v0.1.0/checksums.txt"] = []byte(strings.Replace(checksums, "other", "evil", 1))
		}, "the SHA-256 of checksums.txt must be"},
		"other archive": {func(map[string]string, *runner) { files[archive] = append(files[archive], 0) }, "the SHA-256 of rplug_0.1.0_linux_"},
		"missing archive": {func(in map[string]string, _ *runner) {
			files["/v0.1.0/checksums.txt"] = []byte("\n")
			in["checksum"] = sum([]byte("\n"))
		}, "checksums.txt has no rplug_0.1.0_linux_"},
		"system":       {func(_ map[string]string, r *runner) { r.system = "Plan 9" }, "there are no programs for Plan 9"},
		"architecture": {func(_ map[string]string, r *runner) { r.architecture = "ARM" }, "there are no programs for the architecture ARM"},
	} {
		kept := files[archive]
		given := map[string]string{}
		for key, value := range inputs {
			given[key] = value
		}
		machine := r
		machine.folder = t.TempDir()
		test.change(given, &machine)
		output, code := machine.use(t, given)
		assert.Equal(t, 1, code, name)
		assert.Contains(t, output, "::error title=rplug::", name)
		assert.Contains(t, output, test.want, name)
		assert.NoFileExists(t, filepath.Join(machine.folder, "path"), name)
		programs, err := filepath.Glob(filepath.Join(machine.folder, "*", "bin", "*"))
		require.NoError(t, err)
		assert.Empty(t, programs, name)
		files[archive], files["/v0.1.0/checksums.txt"] = kept[:len(kept):len(kept)], []byte(checksums)
	}
}

// Values with spaces and shell syntax are only used as arguments.
func TestAction_passesValuesAsArguments(t *testing.T) {
	t.Parallel()
	r, inputs, _ := releases(t)
	folder := filepath.Join(r.work, "my $(touch evil) plugins")
	require.NoError(t, os.Rename(filepath.Join(r.work, "examples"), folder))
	inputs["paths"] = "my $(touch evil) plugins\n--help\n"
	output, code := r.use(t, inputs)
	assert.NotZero(t, code, "--help is a path")
	assert.Contains(t, output, "--help")
	inputs["paths"], inputs["arguments"] = "my $(touch evil) plugins", "--strict\n--exclude\n/a b/\n"
	output, code = r.use(t, inputs)
	assert.Zero(t, code, output)
	assert.NoFileExists(t, filepath.Join(r.work, "evil"))
}

// What rplug prints has no workflow commands for the runner, though the names and the texts of files are such, and findings are
// annotations nevertheless.
func TestAction_stopsCommands(t *testing.T) {
	t.Parallel()
	r, inputs, _ := releases(t)
	text := "name: pp@1.0.0\nspec:\n  runner: {image: alpine}\n  create: []\n  x: \"##[error]y\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(r.work, "::add-mask::p.yaml"), []byte(text), 0o600))
	inputs["paths"], inputs["arguments"] = "::add-mask::p.yaml", "--context"
	output, code := r.use(t, inputs)
	assert.Equal(t, 1, code, output)
	_, after, stopped := strings.Cut(output, "::stop-commands::")
	require.True(t, stopped, output)
	token, after, _ := strings.Cut(after, "\n")
	assert.Regexp(t, "^[0-9a-f]{32}$", token)
	found, _, resumed := strings.Cut(after, "\n::"+token+"::\n")
	assert.True(t, resumed, output)
	assert.Contains(t, found, "[error]")
	for line := range strings.Lines(found) {
		assert.NotRegexp(t, `^\s*::|##\[`, line)
	}
}
