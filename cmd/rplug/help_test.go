package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// The commands that the topics of the help name exist, and have the flags of these lines.
func TestTopicsNameCommands(t *testing.T) {
	t.Parallel()
	root := rplug.NewCommand(&bytes.Buffer{}, extensions()...)
	files, err := filepath.Glob("../../internal/rplug/topics/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "  rplug ") {
				checkCall(t, root, strings.Fields(line))
			}
		}
	}
}

// checkCall checks a call of the program by its words.
func checkCall(t *testing.T, root *cobra.Command, words []string) {
	t.Helper()
	command, _, err := root.Find(words[1:])
	require.NoError(t, err, words)
	assert.NotEqual(t, root, command, words)
	for _, word := range words {
		if name, isFlag := strings.CutPrefix(word, "--"); isFlag {
			name, _, _ = strings.Cut(name, "=")
			assert.NotNil(t, command.Flags().Lookup(name), words)
		}
	}
}

// Every command has a description and an example, in which the command is called.
func TestCommandsHaveExamples(t *testing.T) {
	t.Parallel()
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		assert.NotEmpty(t, c.Short, c.CommandPath())
		if subcommands := c.Commands(); len(subcommands) > 0 {
			for _, sub := range subcommands {
				check(sub)
			}
			return
		}
		var out bytes.Buffer
		path := strings.Fields(c.CommandPath())[1:]
		assert.Equal(t, rplug.ExitClean, run(append(path, "--help"), &out), path)
		_, example, found := strings.Cut(strings.ToLower(out.String()), "\nexample")
		assert.True(t, found && strings.Contains(example, "\n  "+c.CommandPath()+" "), c.CommandPath())
	}
	root := rplug.NewCommand(&bytes.Buffer{}, extensions()...)
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	root.RemoveCommand(subcommand(t, root, "completion")) // cobra describes it
	check(root)
}
