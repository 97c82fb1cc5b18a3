package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// output is the value of --output; it implements pflag.Value.
type output string

// The values of --output.
const (
	textOutput output = "text"
	jsonOutput output = "json"
)

const outputUsage = "`FORMAT`: text or json"

// outputFlag declares the flag --output.
func outputFlag(command *cobra.Command) *output {
	o := textOutput
	command.Flags().VarP(&o, "output", "o", outputUsage)
	register(command, "output", completeOne(string(textOutput), string(jsonOutput)))
	return &o
}

// String returns the format.
func (o *output) String() string { return string(*o) }

// Type names the type of the flag.
func (*output) Type() string { return "string" }

// Set implements pflag.Value.
func (o *output) Set(text string) error {
	if *o = output(text); *o != textOutput && *o != jsonOutput {
		return fmt.Errorf("must be text or json, not %q", text)
	}
	return nil
}

// printJSON writes a value as indented JSON.
func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
