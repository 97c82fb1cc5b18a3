package rplug

import (
	"embed"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// topicFiles are the pages of `rplug help TOPIC`: the name of a file is that of its topic, the first line its title.
//
//go:embed topics/*.txt
var topicFiles embed.FS

// topic is a page of the help.
type topic struct{ name, title, text string }

// topics returns the pages in the order of their names.
func topics() []topic {
	files, err := topicFiles.ReadDir("topics")
	if err != nil {
		panic(err) // the files are part of the program
	}
	all := make([]topic, len(files))
	for i, file := range files {
		text, err := topicFiles.ReadFile(path.Join("topics", file.Name()))
		if err != nil {
			panic(err)
		}
		title, _, _ := strings.Cut(string(text), "\n")
		all[i] = topic{strings.TrimSuffix(file.Name(), ".txt"), title, string(text)}
	}
	return all
}

// helpCommand shows a topic, or the help of a command. A topic may have the name of a command.
func helpCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "help [TOPIC | COMMAND...]", DisableFlagsInUseLine: true,
		Short: "Show a topic, or the help of a command",
	}
	command.ValidArgsFunction = func(c *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		found := map[string]string{}
		if len(args) == 0 {
			for _, one := range topics() {
				found[one.name] = one.title
			}
		}
		if of, _, err := c.Root().Find(args); err == nil {
			for _, sub := range of.Commands() {
				if sub.IsAvailableCommand() && found[sub.Name()] == "" {
					found[sub.Name()] = sub.Short
				}
			}
		}
		return proposals(found, text), cobra.ShellCompDirectiveNoFileComp
	}
	command.RunE = func(c *cobra.Command, args []string) error {
		root := c.Root()
		if len(args) == 1 {
			for _, one := range topics() {
				if one.name == args[0] {
					return one.print(root)
				}
			}
		}
		found, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return unknownTopic(found, args, rest)
		}
		found.InitDefaultHelpFlag()
		found.InitDefaultVersionFlag()
		return found.Help()
	}
	return command
}

// print prints a page, below it where the help of the command is that has the same name.
func (t topic) print(root *cobra.Command) error {
	text := t.text
	if name := root.CommandPath(); name != programName {
		text = strings.ReplaceAll(text, "\n  "+programName+" ", "\n  "+name+" ")
	}
	if command, rest, err := root.Find([]string{t.name}); err == nil && len(rest) == 0 && command != root {
		text += fmt.Sprintf("\nThe command: %s --help\n", command.CommandPath())
	}
	_, err := io.WriteString(root.OutOrStdout(), text)
	return err
}

// unknownTopic is about arguments of help that are neither a topic nor a command.
func unknownTopic(above *cobra.Command, args, rest []string) error {
	var known []string
	if len(args) == 1 {
		for _, one := range topics() {
			known = append(known, one.name)
		}
	}
	for _, sub := range above.Commands() {
		known = append(known, sub.Name())
	}
	name := args[len(args)-1]
	if len(rest) > 0 {
		name = rest[0]
	}
	if near, _ := strictyaml.Nearest(name, known); near != "" {
		return fmt.Errorf("unknown topic or command %q: did you mean %q?", strings.Join(args, " "), near)
	}
	return fmt.Errorf("unknown topic or command %q: see %s help", strings.Join(args, " "), above.Root().CommandPath())
}

// helpWithTopics writes the help of a command, and below that of the root the topics.
func helpWithTopics(help func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(c *cobra.Command, args []string) {
		help(c, args)
		if c.HasParent() {
			return
		}
		out := c.OutOrStdout()
		_, _ = fmt.Fprintf(out, "\nTopics, shown by %q:\n", c.CommandPath()+" help TOPIC")
		for _, one := range topics() {
			_, _ = fmt.Fprintf(out, "  %-11s %s\n", one.name, one.title)
		}
	}
}
