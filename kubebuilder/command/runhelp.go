package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/host"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// printHelp prints the help of the plugins of a chain.
func printHelp(out io.Writer, all []host.Help) error {
	plain := report.NewPlainWriter(out)
	for i, help := range all {
		if i > 0 {
			fmt.Fprintln(plain)
		}
		fmt.Fprintf(plain, "%s:\n", help.Keys)
		if help.Text != "" {
			fmt.Fprint(plain, help.Text)
			continue
		}
		printIndented(plain, help.Metadata.Description)
		if help.Metadata.Examples != "" {
			fmt.Fprint(plain, "\nExamples:\n")
			printIndented(plain, help.Metadata.Examples)
		}
		if len(help.Flags) > 0 {
			fmt.Fprintf(plain, "\nFlags:\n%s", flagUsages(help.Flags))
		}
	}
	return plain.Flush()
}

// printIndented prints a text with an indentation of two; plugins may have indented all of it.
func printIndented(out io.Writer, text string) {
	lines := slices.Collect(strings.Lines(strings.Trim(text, "\n")))
	common := -1
	for _, line := range lines {
		if own := len(line) - len(strings.TrimLeft(line, " ")); strings.TrimSpace(line) != "" && (common < 0 || own < common) {
			common = own
		}
	}
	for _, line := range lines {
		fmt.Fprintln(out, strings.TrimRight("  "+line[min(max(common, 0), len(line)):], " \r\n"))
	}
}

// flagUsages returns a line for each flag.
func flagUsages(flags []v1alpha1.Flag) string {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, flag := range flags {
		if set.Lookup(flag.Name) == nil && flag.Name != "" {
			set.Var(&flagValue{flag}, flag.Name, flag.Usage)
		}
	}
	return set.FlagUsages()
}

// flagValue is the value of a flag of a plugin, which is only printed.
type flagValue struct{ flag v1alpha1.Flag }

// String returns the default.
func (v *flagValue) String() string { return v.flag.Default }

// Set does nothing.
func (v *flagValue) Set(string) error { return nil }

// Type returns the type; kubebuilder reads any other type as string.
func (v *flagValue) Type() string {
	if v.flag.Type == "" {
		return "string"
	}
	return v.flag.Type
}
