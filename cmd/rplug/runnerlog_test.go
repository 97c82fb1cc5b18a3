package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/runnerlog"
)

// loggedCall is a call whose output a log has: all of it, or of one that prints objects the part on stderr.
type loggedCall struct {
	args     []string
	isObject bool
}

// logged are the calls. NAME is the name of a file and the value of fields.
var logged = []loggedCall{
	{[]string{"validate", "."}, false},
	{[]string{"validate", "--output", "json", "."}, false},
	{[]string{"validate", "--output", "sarif", "."}, false},
	{[]string{"validate", "--output", "junit", "."}, false},
	{[]string{"validate", "NAME.yaml"}, false},
	{[]string{"NAME"}, false},
	{[]string{"validate", "--NAME"}, false},
	{[]string{"resolve", "."}, true},
	{[]string{"render", "."}, true},
	{[]string{"fork", "."}, true},
	{[]string{"build", "."}, true},
	{[]string{"import", "."}, true},
	{[]string{"report", "."}, true},
	{[]string{"diff", ".", "other"}, false},
	{[]string{"diff", "--output", "json", ".", "other"}, false},
	{[]string{"run", "NAME", ".", "--engine", "process"}, false},
	{[]string{"remove", "NAME", "--", "."}, false},
	{[]string{"expire", "."}, false},
	{[]string{"expire", "--output", "json", "."}, false},
	{[]string{"catalog", "list", "."}, false},
	{[]string{"catalog", "lint", "."}, false},
	{[]string{"catalog", "explain", "NAME", "."}, false},
	{[]string{"catalog", "versions", "NAME", "."}, false},
	{[]string{"status", "-f", "NAME.yaml"}, false},
	{[]string{"list", "-f", "NAME.yaml"}, false},
	{[]string{"sweep", "-f", "NAME.yaml"}, false},
	{[]string{"sweep", "--names", "NAME.yaml", "-f", "NAME.yaml", "."}, false},
	{[]string{"restore", "--base-ref", "NAME"}, false},
	{[]string{"test", ".", "--engine", "process"}, false},
	{[]string{"graph", "NAME", "."}, true},
	{[]string{"new", "plugin", "NAME"}, false},
	{[]string{"unpack", "."}, true},
	{[]string{"kubebuilder", "test", "NAME"}, false},
	{[]string{"kubebuilder", "run", "NAME", "init"}, false},
	{[]string{"kubebuilder", "install", "--root", "NAME.yaml"}, false},
	{[]string{"catalog", "deprecate", "NAME@1.0.0", "--reason", "NAME", "-c", "NAME.yaml"}, false},
	{[]string{"catalog", "yank", "NAME@1.0.0", "--reason", "NAME", "-c", "NAME.yaml"}, false},
	{[]string{"catalog", "diff", "NAME.yaml", "other/NAME.yaml"}, false},
	{[]string{"catalog", "index", ".", "--name", "NAME"}, false},
	{[]string{"catalog", "push", "127.0.0.1:1/p:NAME", "."}, false},
	{[]string{"catalog", "pull", "127.0.0.1:1/p:NAME", "NAME"}, false},
	{[]string{"describe", "NAME"}, false},
	{[]string{"doctor", "NAME"}, false},
	{[]string{"doctor", "cluster", "-n", "NAME"}, false},
	{[]string{"version", "NAME"}, false},
	{[]string{"logs", "NAME", "NAME"}, false},
	{[]string{"rerun", "NAME", "NAME/NAME"}, false},
	{[]string{"post-render", "."}, true},
	{[]string{"new", "project", "--cluster", "NAME"}, false},
	{[]string{"new", "sandbox", "NAME", "--plugin", "NAME"}, false},
	{[]string{"new", "test", "NAME"}, false},
	{[]string{"man", "NAME"}, false},
}

// Each command is called whose output depends on more than its flags, as the scripts for completion do.
func TestRunnerLog_callsEachCommand(t *testing.T) {
	t.Parallel()
	root := rplug.NewCommand(&bytes.Buffer{}, extensions()...)
	root.RemoveCommand(subcommand(t, root, "completion"))
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			check(sub)
		}
		path := strings.Fields(c.CommandPath())[1:]
		assert.True(t, c.HasSubCommands() || slices.ContainsFunc(logged, func(one loggedCall) bool {
			return len(one.args) >= len(path) && slices.Equal(one.args[:len(path)], path)
		}), "%q must be among the calls", path)
	}
	check(root)
}

func subcommand(t *testing.T, root *cobra.Command, name string) *cobra.Command {
	t.Helper()
	found, _, err := root.Find([]string{name})
	require.NoError(t, err)
	return found
}

// scalarsOf returns the scalars of a tree, keys as well.
func scalarsOf(node *yaml.Node) (all []*yaml.Node) {
	if node.Kind == yaml.ScalarNode {
		all = append(all, node)
	}
	for _, child := range node.Content {
		all = append(all, scalarsOf(child)...)
	}
	return all
}

// Nothing that the commands print on a runner has a workflow command, regardless of the names of files and the keys and
// values of documents.
func TestRunnerLog(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "runs each command for hostile files")
	bin, random, hostile := t.TempDir(), checkout.Random(t), runnerlog.Hostile()
	require.NoError(t, checkout.BuildCommands(bin))
	files := []string{pluginFile, sandboxFile, othersFile, "pkg/resolve/testdata/full.yaml", "api/schemas/testdata/routegroup.yaml"}
	name := regexp.MustCompile(`[/\x00]`)
	lines := 0
	for range checkout.Rounds(3) {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "other"), 0o700))
		require.NoError(t, exec.Command("git", "init", "-q", dir).Run())
		var called string
		for i, file := range files {
			text, err := os.ReadFile(filepath.Join(checkout.Root(), file))
			require.NoError(t, err)
			var document yaml.Node
			require.NoError(t, yaml.Unmarshal(text, &document))
			scalars := scalarsOf(&document)
			for range random.IntN(6) {
				scalar := scalars[4+random.IntN(len(scalars)-4)] // apiVersion and kind stay
				scalar.Value, scalar.Style = hostile[random.IntN(len(hostile))], 0
			}
			changed, err := yaml.Marshal(&document)
			require.NoError(t, err)
			called = name.ReplaceAllString(fmt.Sprintf("%s%d", hostile[random.IntN(len(hostile))], i), "_")
			require.NoError(t, os.WriteFile(filepath.Join(dir, called+".yaml"), changed, 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "other", called+".yaml"), text, 0o600))
		}
		for _, one := range logged {
			args := strings.Split(strings.ReplaceAll(strings.Join(one.args, "\x00"), "NAME", called), "\x00")
			command := exec.Command(filepath.Join(bin, "rplug"), args...)
			command.Dir, command.Env = dir, append(os.Environ(), "GITHUB_ACTIONS=true", "KUBECONFIG=none")
			var out, log bytes.Buffer
			command.Stdout, command.Stderr = &out, &log
			if _ = command.Run(); one.isObject { // most are refused
				out.Reset()
			}
			for _, line := range runnerlog.Lines(out.String() + "\n" + log.String()) {
				lines++
				assert.Empty(t, runnerlog.Command(line), "%q: %q", args, line)
			}
		}
	}
	assert.Greater(t, lines, 300)
	t.Logf("%d lines", lines)
}
