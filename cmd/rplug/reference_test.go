package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

const cliPageHead = `# Commands of rplug

All commands with their flags and examples, as ` + "`rplug COMMAND --help`" + ` prints them. [rplug](rplug.md) describes the command as a
whole: help, completion, ` + "`kubectl rplug`" + `. The [exit codes](exit-codes.md) are the same everywhere; the
[project file](project.md) can hold what would be repeated as flags, and [options](options.md) has the flags of ` + "`build`" + ` with
their keys there.

This page is made from the commands (` + "`make golden`" + `); a test holds the two together.
`

// commandPages are the pages about commands, from docs/reference.
var commandPages = map[string]string{
	"rplug validate": "../../functions/validate-plugin/README.md", "rplug resolve": "../../functions/resolve-version/README.md",
	"rplug render": "../../functions/render-phase/README.md", "rplug fork": "../../functions/render-sandbox/README.md",
	"rplug import": "../../functions/import-plugin/README.md", "rplug graph": "../../functions/render-phase/README.md",
	"rplug build": "build.md", "rplug diff": "diff.md", "rplug report": "report.md", "rplug new": "../tutorial/README.md", "rplug run": "run.md",
	"rplug test": "../howto/test.md", "rplug status": "status.md", "rplug unpack": "unpack.md", "rplug post-render": "../howto/helm.md",
	"rplug catalog": "../howto/publish.md", "rplug kubebuilder": "kubebuilder.md", "rplug completion": "rplug.md#completion",
}

// configOf are the kinds of the configs whose fields are flags of a command.
var configOf = map[string]string{
	"rplug validate": "ValidatePlugin", "rplug resolve": "ResolveVersion", "rplug render": "RenderPhase", "rplug fork": "RenderSandbox",
	"rplug import": "ImportPlugin",
}

// The command reference has the text of --help. UPDATE_GOLDEN writes it again.
func TestCommandPageIsThatOfTheCommands(t *testing.T) {
	t.Parallel()
	root := rplug.NewCommand(&bytes.Buffer{}, extensions()...)
	var text, contents strings.Builder
	seen := 0
	for _, c := range root.Commands() {
		if !c.Hidden {
			seen += writeCommand(t, &text, &contents, c)
		}
	}
	for name := range commandPages {
		c, rest, err := root.Find(strings.Fields(name)[1:])
		require.NoError(t, err, name)
		assert.Empty(t, rest, name)
		assert.Equal(t, name, c.CommandPath())
	}
	assert.GreaterOrEqual(t, seen, 35)
	var topicList strings.Builder
	topics, err := filepath.Glob("../../internal/rplug/topics/*.txt")
	require.NoError(t, err)
	for _, file := range topics {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		fmt.Fprintf(&topicList, "\n### rplug help %s\n\n```text\n%s```\n", strings.TrimSuffix(filepath.Base(file), ".txt"), text)
	}
	page := cliPageHead + "\n| command | what it does |\n|---|---|\n" + contents.String() + text.String() + "\n## Topics\n" + topicList.String()
	file := filepath.Join(checkout.Root(), "docs", "reference", "cli.md")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
	}
	current, err := os.ReadFile(file)
	require.NoError(t, err, "run make golden")
	assert.Equal(t, page, string(current), "run make golden")
}

// writeCommand writes the section of a command and those of its subcommands, and returns how many it wrote.
func writeCommand(t *testing.T, text, contents *strings.Builder, c *cobra.Command) (sections int) {
	t.Helper()
	path := c.CommandPath()
	anchor := strings.ReplaceAll(path, " ", "-")
	fmt.Fprintf(contents, "| [`%s`](#%s) | %s |\n", path, anchor, cell(c.Short))
	fmt.Fprintf(text, "\n## %s\n\n%s.", path, c.Short)
	if page := commandPages[path]; page != "" {
		fmt.Fprintf(text, " [More](%s).", page)
	}
	text.WriteString("\n\n")
	h := readHelp(t, c)
	fmt.Fprintf(text, "```text\n%s\n```\n\n", strings.TrimSpace(h.usage))
	if h.about != "" {
		text.WriteString(h.about + "\n\n")
	}
	if kind := configOf[path]; kind != "" {
		fmt.Fprintf(text, "The flags of [%s](functions.md#%s), and:\n\n", kind, strings.ToLower(kind))
	}
	for i, group := range h.groups {
		if len(group.flags) == 0 {
			text.WriteString("The flags are those of [build](#rplug-build).\n")
			continue
		}
		if i > 0 {
			fmt.Fprintf(text, "\nFlags %s:\n\n", group.title)
		}
		text.WriteString("| flag | meaning |\n|---|---|\n")
		for _, flag := range group.flags {
			fmt.Fprintf(text, "| `%s` | %s |\n", flag[0], cell(flag[1]))
		}
	}
	if h.example != "" {
		fmt.Fprintf(text, "\n```sh\n%s\n```\n", h.example)
	}
	sections = 1
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			sections += writeCommand(t, text, contents, sub)
		}
	}
	return sections
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// helpText is the output of --help, in parts.
type helpText struct {
	about, usage, example string
	groups                []flagGroup
}

// flagGroup are flags below a heading.
type flagGroup struct {
	title string
	flags [][2]string
}

var (
	flagLine = regexp.MustCompile(`^ {2,6}((?:-\w, )?--[a-z-]+(?: \S+)?) {2,}(\S.*)$`)
	heading  = regexp.MustCompile(`^((?i:usage|flags|fields of the functionConfig|examples?|available commands)\b.*):$`)
)

// indented is the beginning of a line that stays as it is: a command, or a row of a table.
var indented = regexp.MustCompile(`(?m)^(?:  |\t)`)

// readHelp calls a command with --help.
func readHelp(t *testing.T, c *cobra.Command) (h helpText) {
	t.Helper()
	var out bytes.Buffer
	help := "--help"
	if c.Flags().Lookup("help-all") != nil && c.Name() != "post-render" {
		help = "--help-all"
	}
	require.Equal(t, rplug.ExitClean, run(append(strings.Fields(c.CommandPath())[1:], help), &out))
	part := ""
	var about, usage, example []string
	for line := range strings.Lines(out.String()) {
		line = strings.TrimRight(line, "\n")
		if match := heading.FindStringSubmatch(line); match != nil {
			part, _, _ = strings.Cut(strings.ToLower(match[1]), ",")
			if title, isFlags := strings.CutPrefix(part, "flags"); isFlags {
				h.groups = append(h.groups, flagGroup{title: strings.TrimSpace(match[1][len(match[1])-len(title):])})
				part = "flags"
			}
			continue
		}
		switch part {
		case "":
			about = append(about, line)
		case "usage":
			usage = append(usage, strings.TrimPrefix(line, "  "))
		case "flags":
			h.addFlag(t, line)
		case "example", "examples":
			if line != "" && !strings.HasPrefix(line, "  ") {
				part = "end"
				continue
			}
			example = append(example, strings.TrimPrefix(line, "  "))
		}
	}
	h.about = paragraphs(about, c)
	h.usage = strings.Join(usage, "\n")
	h.example = strings.TrimSpace(strings.Join(example, "\n"))
	return h
}

// addFlag adds a flag, or a further line of the last one.
func (h *helpText) addFlag(t *testing.T, line string) {
	t.Helper()
	match := flagLine.FindStringSubmatch(line)
	flags := &h.groups[len(h.groups)-1].flags
	switch {
	case match != nil:
		*flags = append(*flags, [2]string{match[1], match[2]})
	case strings.HasPrefix(line, "        "):
		require.NotEmpty(t, *flags, line)
		(*flags)[len(*flags)-1][1] += " " + strings.TrimSpace(line)
	default:
		assert.NotRegexp(t, "^ +-", line, "a flag is not read")
	}
}

// paragraphs joins the lines of each paragraph. Indented lines stay as they are, except those of a function's purpose,
// which are all indented; paragraphs that repeat Short are left out.
func paragraphs(lines []string, c *cobra.Command) string {
	var all []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(strings.Join(lines, "\n")), "\n\n") {
		if indented.MatchString(paragraph) && !c.DisableFlagParsing {
			all = append(all, "```text\n"+strings.ReplaceAll(paragraph, "\t", "  ")+"\n```")
			continue
		}
		text := strings.TrimPrefix(strings.Join(strings.Fields(paragraph), " "), c.CommandPath()+" ")
		if strings.TrimSuffix(text, ".") != c.Short && text != "" && !strings.HasPrefix(text, "Exit code: 0 if done") {
			all = append(all, strings.ToUpper(text[:1])+text[1:])
		}
	}
	return strings.Join(all, "\n\n")
}

// run runs a command, and returns its exit code.
func run(args []string, out *bytes.Buffer) int {
	return rplug.Run(context.Background(), args, strings.NewReader(""), out, &bytes.Buffer{}, extensions()...)
}

// The help of every command fits a screen of 60 lines and 100 columns.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	var check func(c *cobra.Command, path []string)
	check = func(c *cobra.Command, path []string) {
		var out bytes.Buffer
		assert.Equal(t, rplug.ExitClean, run(append(path, "--help"), &out), path)
		assert.LessOrEqual(t, strings.Count(out.String(), "\n"), 60, path)
		for line := range strings.Lines(out.String()) {
			assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 100, "%s: %s", path, line)
		}
		for _, sub := range c.Commands() {
			check(sub, append(append([]string{}, path...), sub.Name()))
		}
	}
	check(rplug.NewCommand(&bytes.Buffer{}, extensions()...), nil)
}
