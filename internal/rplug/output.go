package rplug

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// Output is the value of --output; it implements pflag.Value.
type Output string

// Values of --output.
const (
	Text Output = "text"
	JSON Output = "json"
)

// OutputFlag declares the flag --output.
func OutputFlag(command *cobra.Command) *Output {
	o := Text
	o.Flag(command)
	return &o
}

// Flag declares the flag --output for the value.
func (o *Output) Flag(command *cobra.Command) {
	command.Flags().VarP(o, "output", "o", "`FORMAT`: text or json")
	Register(command, "output", CompleteOne(string(Text), string(JSON)))
}

// String returns the format.
func (o *Output) String() string { return string(*o) }

// Type returns the type of the flag for the help.
func (*Output) Type() string { return "string" }

// Set implements pflag.Value.
func (o *Output) Set(text string) error {
	if *o = Output(text); *o != Text && *o != JSON {
		return fmt.Errorf("must be text or json, not %q", text)
	}
	return nil
}

// PrintJSON writes a value as indented JSON.
func PrintJSON(out io.Writer, value any) error {
	return report.WriteJSON(out, value)
}
