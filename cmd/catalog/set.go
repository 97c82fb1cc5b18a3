package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/template"
)

// variables is the flag --set: values of templates' variables, as file mode of the functions takes them.
type variables map[string]string

// setFlag declares the flag.
func setFlag(flags *pflag.FlagSet) variables {
	values := variables{}
	flags.Var(values, "set", "value of a variable of native documents, for @{KEY} (`KEY=VALUE`); repeatable")
	return values
}

// Set takes one variable; a value may hold commas and equals signs.
func (v variables) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || !template.IsVariable(name) {
		return fmt.Errorf("must be KEY=VALUE, the key a letter and letters, digits, %q, not %q", "_.-", name)
	}
	v[name] = value
	return nil
}

// String is empty: values are not shown.
func (variables) String() string { return "" }

// Type is what pflag calls the value.
func (variables) Type() string { return "KEY=VALUE" }
