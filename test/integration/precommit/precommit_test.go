// Package precommit tests the hooks of .pre-commit-hooks.yaml with the real pre-commit, with valid and invalid commits.
package precommit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// A hook built with Go is installed from a clone of this checkout and rejects invalid commits. It uses the module cache, not
// the network.
func TestGoHooks(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	hooks, revision := hookRepository(t)
	u.write(".pre-commit-config.yaml", "repos:\n- repo: "+hooks+"\n  rev: "+revision+"\n  hooks:\n"+
		"  - id: validate-plugin\n    args: [--strict, plugins]\n")
	u.run("pre-commit", "install", "--install-hooks")

	u.write("plugins/hello.yaml", plugin("hello-db@1.0.0", "ubuntu"))
	u.write("other/not-ours.yaml", "on: push\njobs: {}\n")
	require.NoError(t, u.commit("good"))

	u.write("plugins/hello.yaml", plugin("hello-db@1.0.0", "Ubuntu"))
	u.requireRejected("plugins/hello.yaml:4:12: [error] ResourcePlugin/hello-db@1.0.0 spec.runner.image: must be a valid image")
	u.write("plugins/hello.yaml", plugin("hello-db@1.0.1", "ubuntu:24.04"))
	require.NoError(t, u.commit("fixed"))
}

// Hooks that use programs on the PATH: they compare with the last commit, and with the lock.
func TestSystemHooks(t *testing.T) {
	t.Parallel()
	u, bin := newSystemUser(t, "  - id: validate-plugin-system\n    args: [plugins]\n"+
		"  - id: resolve-version-system\n    args: [plugins]\n")
	u.write("plugins/hello.yaml", plugin("hello-db@1.0.0", "ubuntu"))
	u.write("plugins/sandbox.yaml", "name: feature-x\nspec: {cluster: demo, resources: [{name: db, plugin: hello-db@^1}]}\n")
	u.run(filepath.Join(bin, "resolve-version"), "--write-lock", "plugins/lock.yaml", "plugins")
	u.run("git", "add", "-A")
	u.run("git", "commit", "-q", "-m", "before the hooks")
	u.run("pre-commit", "install")

	u.write("plugins/more.yaml", plugin("more-db@1.0.0", "ubuntu"))
	require.NoError(t, u.commit("good"))
	u.write("plugins/more.yaml", plugin("more-db@1.0.0", "ubuntu:24.04"))
	u.requireRejected(`resource plugin "more-db" version "1.0.0" already exists; versions are immutable`)
	u.write("plugins/more.yaml", plugin("more-db@1.1.0", "ubuntu:24.04"))
	require.NoError(t, u.commit("a new version"))

	// A removed file is found, although pre-commit does not list it as changed.
	require.NoError(t, os.Remove(filepath.Join(u.folder, "plugins/hello.yaml")))
	u.requireRejected("resource plugin hello-db@1.0.0 is still referenced by sandbox(es): feature-x")
	u.run("git", "checkout", "-q", "HEAD", "--", "plugins")

	// So is a sandbox that is removed without its teardown.
	require.NoError(t, os.Remove(filepath.Join(u.folder, "plugins/sandbox.yaml")))
	u.requireRejected(`sandbox "feature-x" is removed without its teardown`)
	u.run("git", "checkout", "-q", "HEAD", "--", "plugins")

	u.write("plugins/other.yaml", "name: feature-y\nspec: {cluster: demo, resources: [{name: db, plugin: more-db}]}\n")
	u.requireRejected(`more-db`)
}

// In a new repository the hooks pass in their default configuration. The first reference needs a lock, and the message
// explains how to create it.
func TestHooksInANewRepository(t *testing.T) {
	t.Parallel()
	u, bin := newSystemUser(t, "  - id: validate-plugin-system\n  - id: resolve-version-system\n")
	u.run("pre-commit", "install")
	require.NoError(t, u.commit("nothing but the hooks"))

	u.write("hello.yaml", plugin("hello-db@1.0.0", "ubuntu"))
	require.NoError(t, u.commit("a plugin"))
	u.write("sandbox.yaml", "name: feature-x\nspec: {cluster: demo, resources: [{name: db, plugin: hello-db@^1}]}\n")
	u.requireRejected("no PluginLock in the input: create one with rplug resolve --write-lock FILE PATH")
	u.run(filepath.Join(bin, "resolve-version"), "--write-lock", "plugin-lock.yaml", ".")
	require.NoError(t, u.commit("a reference"))

	u.write("another.yaml", "name: feature-y\nspec: {cluster: demo, resources: [{name: db, plugin: hello-db}]}\n")
	u.requireRejected(`"hello-db" must be in the lock: run rplug resolve --write-lock FILE PATH, or add`)
	u.run(filepath.Join(bin, "resolve-version"), "--write-lock", "plugin-lock.yaml", ".")
	require.NoError(t, u.commit("another reference"))
}

// By default the hook checks the whole repository, including files of other tools and hidden folders.
func TestDefaultOfTheHook(t *testing.T) {
	t.Parallel()
	u, _ := newSystemUser(t, "  - id: validate-plugin-system\n")
	u.run("git", "add", "-A")
	u.run("pre-commit", "install")
	u.write("chart/values.yaml", "name: web\nspec: {replicas: 2, resources: {}}\n")
	u.write("chart/templates/web.yaml", "{{- if .Values.on }}\nname: {{ .Values.name }}\n{{- end }}\n")
	u.write("tsconfig.json", "{\n  // a comment\n  \"files\": [],\n}\n")
	u.write("deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n")
	u.write(".gitignore", "build/\n")
	u.write("build/plugin.yaml", plugin("hello-db@1.0.0", "Ubuntu"))
	u.write(".signadot/plugin.yaml", plugin("hello-db@1.0.0", "ubuntu"))
	require.NoError(t, u.commit("good"))

	u.write(".signadot/plugin.yaml", plugin("hello-db@1.0.0", "Ubuntu"))
	u.requireRejected(".signadot/plugin.yaml:4:12: [error] ResourcePlugin/hello-db@1.0.0 spec.runner.image: must be a valid image")
}

// newSystemUser returns a user whose repository has hooks that use programs in a folder on the PATH.
func newSystemUser(t *testing.T, hooks string) (u *user, bin string) {
	t.Helper()
	u, bin = newUser(t), t.TempDir()
	repository, revision := hookRepository(t)
	require.NoError(t, checkout.BuildFunctions(bin))
	u.env = append(u.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	u.write(".pre-commit-config.yaml", "repos:\n- repo: "+repository+"\n  rev: "+revision+"\n  hooks:\n"+hooks)
	return u, bin
}

func plugin(name, image string) string {
	return "name: " + name + "\nspec:\n  runner:\n    image: " + image + "\n" +
		"  create:\n  - name: hello\n    script: |\n      #!/bin/sh\n      echo hello\n"
}

// user is the git repository of a user.
type user struct {
	t      *testing.T
	folder string
	env    []string
}

func newUser(t *testing.T) *user {
	t.Helper()
	for _, program := range []string{"pre-commit", "git"} {
		checkout.Program(t, program, program)
	}
	u := &user{t: t, folder: t.TempDir(), env: environment(t)}
	u.run("git", "init", "-q", "-b", "main")
	return u
}

// environment returns an environment without settings of the user and without network access for Go.
func environment(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	settings := "[user]\n\tname = a\n\temail = a@example.com\n[safe]\n\tdirectory = *\n"
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(settings), 0o600))
	env := append(os.Environ(), "HOME="+home, "PRE_COMMIT_HOME="+filepath.Join(home, "cache"), "GIT_CONFIG_NOSYSTEM=1",
		"GOPROXY=off", "GOFLAGS=", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	for _, folder := range []string{"GOMODCACHE", "GOCACHE"} {
		value, err := exec.Command("go", "env", folder).Output()
		require.NoError(t, err)
		env = append(env, folder+"="+strings.TrimSpace(string(value)))
	}
	return env
}

// hookRepository creates a repository with the files of the checkout, including uncommitted ones.
func hookRepository(t *testing.T) (folder, revision string) {
	t.Helper()
	u := &user{t: t, folder: t.TempDir(), env: environment(t)}
	require.NoError(t, checkout.Copy(u.folder))
	u.run("git", "init", "-q", "-b", "main")
	u.run("git", "add", "-A")
	u.run("git", "commit", "-q", "-m", "the checkout")
	return u.folder, strings.TrimSpace(u.run("git", "rev-parse", "HEAD"))
}

func (u *user) write(name, text string) {
	u.t.Helper()
	file := filepath.Join(u.folder, name)
	require.NoError(u.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(u.t, os.WriteFile(file, []byte(text), 0o600))
}

func (u *user) command(name string, args ...string) *exec.Cmd {
	command := exec.Command(name, args...)
	command.Dir, command.Env = u.folder, u.env
	return command
}

func (u *user) run(name string, args ...string) string {
	u.t.Helper()
	out, err := u.command(name, args...).CombinedOutput()
	require.NoError(u.t, err, "%s %v\n%s", name, args, out)
	return string(out)
}

// failure is the output of a commit that a hook rejected.
type failure string

func (f failure) Error() string { return string(f) }

// commit commits everything with the hooks.
func (u *user) commit(message string) error {
	u.t.Helper()
	u.run("git", "add", "-A")
	if out, err := u.command("git", "commit", "-q", "-m", message).CombinedOutput(); err != nil {
		return failure(out)
	}
	return nil
}

// requireRejected tries a commit, which must fail with the message.
func (u *user) requireRejected(message string) {
	u.t.Helper()
	before := u.run("git", "rev-parse", "HEAD")
	err := u.commit("bad")
	require.ErrorContains(u.t, err, message)
	assert.Contains(u.t, err.Error(), "Failed")
	assert.Equal(u.t, before, u.run("git", "rev-parse", "HEAD"))
}
