package rplug

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// The names of the program as a plugin of kubectl: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/. kubectl
// asks the second one for completions: https://github.com/kubernetes/kubectl/blob/v0.34.0/pkg/util/completion/completion.go
const (
	programName        = "rplug"
	kubectlPlugin      = "kubectl-rplug"
	kubectlCompletions = "kubectl_complete-rplug"
)

// commandLine returns how the command is called in messages, and its arguments, by the name of the program.
func commandLine(program string, args []string) (name string, arguments []string) {
	switch base := strings.TrimSuffix(filepath.Base(program), ".exe"); base {
	case kubectlPlugin:
		return "kubectl " + programName, args
	case kubectlCompletions:
		return "kubectl " + programName, slices.Concat([]string{cobra.ShellCompRequestCmd}, args)
	default:
		return programName, args
	}
}

// rename makes messages, usage and examples of a command and its subcommands call the program by another name.
func rename(root *cobra.Command, name string) {
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: name}
	var examples func(c *cobra.Command)
	examples = func(c *cobra.Command) {
		for _, text := range []*string{&c.Example, &c.Long} {
			*text = strings.TrimPrefix(strings.ReplaceAll("\n"+*text, "\n  "+programName+" ", "\n  "+name+" "), "\n")
		}
		for _, sub := range c.Commands() {
			examples(sub)
		}
	}
	examples(root)
}
