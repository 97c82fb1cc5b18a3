package kubebuilder

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/harness"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/plugin"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// programs builds rplug, the plugin and the functions once for all tests. TestMain removes the folder.
var programs = sync.OnceValues(func() (folder string, err error) {
	if folder, err = os.MkdirTemp("", "kubebuilder-test-"); err == nil {
		built = folder
		err = checkout.BuildCommands(folder)
	}
	if err == nil {
		err = checkout.BuildFunctions(folder)
	}
	return folder, err
})

// built is the folder of programs, empty until a test needs them.
var built string

// shell runs commands in a project, with our programs on the PATH and the plugin installed.
type shell struct {
	t      *testing.T
	folder string
	env    []string
}

// newShell creates a folder for a project, and installs the plugin.
func newShell(t *testing.T, env ...string) *shell {
	t.Helper()
	bin, err := programs()
	require.NoError(t, err)
	s := &shell{t, filepath.Join(t.TempDir(), "project"), append(os.Environ(), env...)}
	require.NoError(t, os.Mkdir(s.folder, 0o755))
	s.env = append(s.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "EXTERNAL_PLUGINS_PATH="+t.TempDir())
	s.run("rplug", "kubebuilder", "install")
	return s
}

func (s *shell) run(program string, args ...string) (out string) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), program, args...)
	if !strings.Contains(program, "/") { // use the PATH of the command, not that of the test
		path, err := exec.LookPath(filepath.Join(s.bin(), program))
		if err == nil {
			command = exec.CommandContext(s.t.Context(), path, args...)
		}
	}
	command.Dir, command.Env = s.folder, s.env
	text, err := command.CombinedOutput()
	require.NoError(s.t, err, "%s %q\n%s", program, args, text)
	return string(text)
}

func (s *shell) bin() string {
	bin, err := programs()
	require.NoError(s.t, err)
	return bin
}

// runner runs a command of kubebuilder in a project.
type runner func(s *shell, command string, args ...string) string

// realKubebuilder returns a runner for a release of kubebuilder.
func realKubebuilder(program string) runner {
	return func(s *shell, command string, args ...string) string {
		s.t.Helper()
		return s.run(program, append(strings.Fields(command), args...)...)
	}
}

// ownHost runs rplug kubebuilder run, which takes --plugins before the command.
func ownHost(s *shell, command string, args ...string) string {
	s.t.Helper()
	call := []string{"kubebuilder", "run"}
	if at := slices.Index(args, "--plugins"); at >= 0 {
		call, args = append(call, args[at:at+2]...), slices.Delete(slices.Clone(args), at, at+2)
	}
	return s.run("rplug", slices.Concat(call, strings.Fields(command), []string{"--"}, args)...)
}

// files returns the contents of the project's files, except those that later commands create.
func (s *shell) files() map[string]string {
	s.t.Helper()
	all := map[string]string{}
	require.NoError(s.t, filepath.WalkDir(s.folder, func(path string, entry os.DirEntry, err error) error {
		name, _ := filepath.Rel(s.folder, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".rplug" || name == ".git"):
			return filepath.SkipDir
		case entry.Type().IsRegular():
			text, err := os.ReadFile(path)
			all[filepath.ToSlash(name)] = string(text)
			return err
		}
		return nil
	}))
	return all
}

var (
	gvk       = []string{"--group", "demo", "--version", "v1", "--kind", "PostgresDB"}
	createAPI = append(slices.Clone(gvk), "--params", "dbname,size", "--outputs=host,password")
)

// Each kubebuilder, and our host, creates a project that is valid, renders, and passes its own tests.
func TestScaffoldAlone(t *testing.T) {
	t.Parallel()
	for _, name := range append(slices.Clone(releases), "host") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := runner(ownHost)
			if name != "host" {
				run = realKubebuilder(checkout.Tool(t, name))
			}
			s := newShell(t)
			run(s, "init", "--plugins", plugin.Key, "--cluster", "demo")
			s.check(0)
			run(s, "create api", createAPI...)
			s.check(1)
			run(s, "create webhook", gvk...)
			run(s, "edit", "--plugin", "postgres-db", "--to", "1.1.0")
			s.check(1)
			before := s.files()
			assert.Contains(t, before, "policies/postgres-db.yaml")
			assert.Contains(t, before, "plugins/postgres-db/1.0.0.yaml")
			assert.Contains(t, before["rplug.yaml"], "cluster: demo\n")

			out := run(s, "create api", createAPI...)
			run(s, "create webhook", gvk...)
			run(s, "edit", "--plugin", "postgres-db", "--to", "1.1.0")
			assert.Equal(t, before, s.files(), "a second run changes nothing")
			assert.Contains(t, out, "plugins/postgres-db/plugin.yaml is kept: it has other content")
			s.runTests()
		})
	}
}

// check checks that the project has no findings, and renders the number of Jobs, also with kustomize.
func (s *shell) check(jobs int) {
	s.t.Helper()
	assert.Empty(s.t, s.run("rplug", "validate", "--strict", "."))
	assert.Equal(s.t, jobs, strings.Count("\n"+s.run("rplug", "build", "."), "\nkind: Job\n"))
	kustomize := exec.CommandContext(s.t.Context(), checkout.Tool(s.t, "kustomize"), "build", "--enable-alpha-plugins", "--enable-exec", ".")
	kustomize.Dir, kustomize.Env = s.folder, s.env
	out, err := kustomize.Output()
	require.NoError(s.t, err)
	assert.Equal(s.t, jobs, strings.Count("\n"+string(out), "\nkind: Job\n"))
}

// runTests runs `make test` in the project. The test of its plugin needs namespaces.
func (s *shell) runTests() {
	s.t.Helper()
	target := "test"
	if out, err := exec.Command("unshare", "--user", "--map-root-user", "--mount", "true").CombinedOutput(); err != nil {
		s.t.Logf("the tests of the plugin are left out: this machine allows no namespaces: %s %v", out, err)
		target = "plugins-validate"
	}
	out := s.run("make", target, "ENGINE=process")
	if target == "test" {
		assert.Contains(s.t, out, "12 checks passed, 0 failed, 1 skipped")
	}
	s.run("make", "plugins-lock", "plugins-publish", "plugins-render")
	s.check(1)
	assert.FileExists(s.t, filepath.Join(s.folder, "rendered", "sandbox-postgres-db.yaml"))
}

// The plugin accepts every flag of go/v4, since it gets them together with its own.
func TestFlagsOfKubebuilderAreKnown(t *testing.T) {
	t.Parallel()
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			program, s := checkout.Tool(t, release), newShell(t)
			realKubebuilder(program)(s, "init", "--plugins", plugin.Key)
			for command, args := range map[string][]string{
				v1alpha1.CommandInit: nil, v1alpha1.CommandCreateAPI: createAPI,
				v1alpha1.CommandCreateWebhook: gvk, v1alpha1.CommandEdit: {"--plugin", "postgres-db", "--to", "1.0.0"},
			} {
				help := realKubebuilder(program)(s, command, "--plugins", "go/v4", "--help")
				flags := knownFlags(help)
				require.NotEmpty(t, flags, help)
				for _, flag := range flags {
					request := v1alpha1.Request{Command: command, Args: append(slices.Clone(args), "--"+flag+"=true"), Universe: made(t)}
					response := serve(t, request)
					assert.NotContains(t, strings.Join(response.ErrorMsgs, "\n"), "unknown flag", "%s --%s", command, flag)
				}
			}
		})
	}
}

// listed matches the flags in a help text.
var listed = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z][a-z-]*) `)

// knownFlags returns the flags in a help text, except the one that only kubebuilder itself uses.
func knownFlags(help string) (flags []string) {
	_, section, _ := strings.Cut(help, "\nFlags:\n")
	for _, match := range listed.FindAllStringSubmatch(section, -1) {
		if match[1] != "plugins" {
			flags = append(flags, match[1])
		}
	}
	return flags
}

// made returns a project with a plugin.
func made(t *testing.T) map[string]string {
	t.Helper()
	return serve(t, v1alpha1.Request{Command: v1alpha1.CommandCreateAPI, Args: gvk}).Universe
}

// serve answers a request in this process.
func serve(t *testing.T, request v1alpha1.Request) (response v1alpha1.Response) {
	t.Helper()
	text, err := json.Marshal(request)
	require.NoError(t, err)
	var out, notes strings.Builder
	require.Zero(t, plugin.Serve(strings.NewReader(string(text)), &out, &notes))
	require.NoError(t, json.Unmarshal([]byte(out.String()), &response))
	return response
}

// The harness finds no faults in the plugin, neither as a separate program nor as rplug.
func TestHarnessFindsNoFault(t *testing.T) {
	t.Parallel()
	bin, err := programs()
	require.NoError(t, err)
	for _, program := range []string{"kubebuilder-resource-plugin", "rplug"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), plugin.Name)
			require.NoError(t, os.Link(filepath.Join(bin, program), path))
			report, err := harness.Harness{
				Plugin: external.Plugin{Name: plugin.Name, Version: plugin.Version, Path: path},
				Args:   map[string][]string{v1alpha1.CommandCreateAPI: createAPI, v1alpha1.CommandInit: {"--cluster", "demo"}},
				Answer: 5 * time.Second, // a busy machine starts processes slowly
			}.Run(t.Context())
			require.NoError(t, err)
			for _, result := range report.Results {
				assert.Equal(t, harness.Passed, result.State, "%s: %v", result.Check, result.Messages)
			}
		})
	}
}

// Kubebuilder requests flags and metadata eight times before it does anything. The test prints the time.
func TestFlagsAndMetadataAreFast(t *testing.T) {
	t.Parallel()
	bin, err := programs()
	require.NoError(t, err)
	text, err := json.Marshal(v1alpha1.Request{APIVersion: v1alpha1.APIVersion, Command: v1alpha1.CommandFlags, Args: []string{"--api"}})
	require.NoError(t, err)
	for _, program := range []string{"true", "kubebuilder-resource-plugin", "rplug"} {
		path := filepath.Join(t.TempDir(), plugin.Name)
		if program == "true" {
			path = checkout.Program(t, program, "coreutils")
		} else {
			require.NoError(t, os.Link(filepath.Join(bin, program), path))
		}
		var taken []time.Duration
		for range 25 {
			command := exec.CommandContext(t.Context(), path)
			command.Stdin = strings.NewReader(string(text))
			start := time.Now()
			require.NoError(t, command.Run())
			taken = append(taken, time.Since(start))
		}
		slices.Sort(taken)
		t.Logf("%-28s median %s, fastest %s", program, taken[len(taken)/2].Round(100*time.Microsecond), taken[0].Round(100*time.Microsecond))
	}
}
