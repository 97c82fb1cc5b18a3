package kubectl

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// completionTimeout is how long a shell waits for the cluster.
const completionTimeout = "--request-timeout=5s"

// register sets the completion of a flag, which must exist.
func register(command *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := command.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// Namespace completes the flag --namespace of a command.
func (k *Kubectl) Namespace(command *cobra.Command) {
	register(command, "namespace", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return k.lines("get", "namespaces", "-o", `jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}`, completionTimeout)
	})
}

// Sandboxes completes names of sandboxes: those of the Jobs and Secrets of the namespaces that the arguments select.
func (k *Kubectl) Sandboxes(where func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		all, directive := k.lines(labels(where(), contract.SandboxKey, contract.SandboxKey)...)
		return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(given, name) }), directive
	}
}

// Steps completes the steps of a sandbox, as RESOURCE/STEP.
func (k *Kubectl) Steps(where func() []string, sandbox string) ([]string, cobra.ShellCompDirective) {
	selector := contract.SandboxKey + "=" + contract.LabelValue(sandbox)
	all, directive := k.lines(labels(where(), selector, contract.ResourceKey, contract.StepKey)...)
	isPartial := func(name string) bool { return strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") }
	return slices.DeleteFunc(all, isPartial), directive
}

// labels returns the arguments that print labels of Jobs and Secrets, those of an object in a line, separated by slashes.
func labels(where []string, selector string, keys ...string) []string {
	fields := make([]string, len(keys))
	for i, key := range keys {
		fields[i] = "{.metadata.labels." + strings.ReplaceAll(key, ".", `\.`) + "}"
	}
	path := `jsonpath={range .items[*]}` + strings.Join(fields, "/") + `{"\n"}{end}`
	return slices.Concat([]string{"get", "jobs,secrets"}, where, []string{"-l", selector, "-o", path, completionTimeout})
}

// lines returns the lines of kubectl's output, sorted; none if it fails.
func (k *Kubectl) lines(arguments ...string) ([]string, cobra.ShellCompDirective) {
	out, err := k.Run(nil, arguments...)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			found[line] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), cobra.ShellCompDirectiveNoFileComp
}
