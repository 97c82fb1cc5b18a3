package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

const optionsPageHead = `# Options of rplug build

` + "`rplug build --help`" + ` describes the flags that people need first, and ` + "`rplug build --help-all`" + ` all of them, in the groups of this
page. [build](build.md) describes the command, and [function configs](functions.md) the values in detail.

Options that are the same for all calls belong in the [project file](project.md), where the other commands find them, too. The column
"rplug.yaml" has the key there; those below ` + "`resolve`, `render` and `fork`" + ` are the fields of the configs of these functions:

` + "```yaml" + `
apiVersion: resourceplugins.dev/v1alpha1
kind: Project
cluster: staging
resolve:
  mode: locked
render:
  delivery: argocd
  stepTimeoutSeconds: 600
fork:
  routing: istio
` + "```" + `

This page is made from the flags (` + "`make golden`" + `); a test holds the two together.
`

// buildFunction returns the function of rplug build.
func buildFunction() cli.Function {
	var features renderphase.Extensions
	for _, e := range extensions() {
		features = append(features, e.Extension)
	}
	f := rplug.BuildFunction(features...)
	f.ReadsProject = true // as the command does
	return f
}

// The page of options has every flag of build with its key in the project file. UPDATE_GOLDEN writes it again.
func TestOptionsPageIsThatOfTheFlags(t *testing.T) {
	t.Parallel()
	f := buildFunction()
	flags := f.Flags()
	var text strings.Builder
	text.WriteString(optionsPageHead)
	for i, group := range f.Groups {
		title := strings.ToUpper(group.Title[:1]) + group.Title[1:]
		if i == 0 {
			title = "Flags that people need first"
		}
		fmt.Fprintf(&text, "\n## %s\n\n| flag | rplug.yaml | default | meaning |\n|---|---|---|---|\n", title)
		for _, name := range group.Flags {
			at := slices.IndexFunc(flags, func(one cli.Flag) bool { return one.Name == name })
			if at < 0 {
				continue // of another command with these groups
			}
			writeOption(&text, flags[at])
		}
	}
	file := filepath.Join(checkout.Root(), "docs", "reference", "options.md")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	current, err := os.ReadFile(file)
	require.NoError(t, err, "run make golden")
	assert.Equal(t, text.String(), string(current), "run make golden")
}

// writeOption writes the row of a flag.
func writeOption(text *strings.Builder, one cli.Flag) {
	usage := strings.TrimSpace("--" + one.Name + " " + one.Argument)
	if one.Shorthand != "" && one.Name != "help" {
		usage = "-" + one.Shorthand + ", " + usage
	}
	code := func(value string) string {
		if value == "" || value == "false" {
			return ""
		}
		return "`" + value + "`"
	}
	fmt.Fprintf(text, "| `%s` | %s | %s | %s |\n", usage, code(one.Key), code(one.Default), cell(one.Usage))
}

// Each flag of build and of the commands that are based on it is in one group: --help describes at most 15 flags, and
// --help-all every one.
func TestHelpOfBuild(t *testing.T) {
	t.Parallel()
	root := rplug.NewCommand(&bytes.Buffer{}, extensions()...)
	for _, name := range []string{"build", "report"} {
		var short, all bytes.Buffer
		require.Equal(t, rplug.ExitClean, run([]string{name, "--help"}, &short))
		require.Equal(t, rplug.ExitClean, run([]string{name, "--help-all"}, &all))
		described := func(text string) (flags []string) {
			for line := range strings.Lines(text) {
				if match := flagLine.FindStringSubmatch(strings.TrimSuffix(line, "\n")); match != nil {
					usage := strings.Fields(match[1])
					flags = append(flags, strings.TrimPrefix(usage[slices.IndexFunc(usage, isLong)], "--"))
				}
			}
			return flags
		}
		first := described(short.String())
		assert.LessOrEqual(t, len(first), 15, name)
		assert.GreaterOrEqual(t, len(first), 10, name)
		seen := described(all.String())
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(seen))), len(seen), "%s: a flag is in two groups", name)
		for _, flag := range flagsOf(subcommand(t, root, name)) {
			if flag != "help" {
				assert.Contains(t, seen, flag, name)
			}
		}
		for line := range strings.Lines(all.String()) {
			assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 100, line)
		}
	}
}

func isLong(word string) bool { return strings.HasPrefix(word, "--") }
