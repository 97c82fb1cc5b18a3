package cli

import (
	"slices"

	"github.com/spf13/pflag"
)

// Flag is a flag of file mode, for shells that complete it and pages that describe it.
type Flag struct {
	*pflag.Flag
	// Argument names its value as --help does, such as FILE; empty for a switch.
	Argument string
	// Values are those that it, or each element of its list, may have; nil for any.
	Values []string
	// Key is the key of the project file that sets it, such as render.delivery; empty if none does.
	Key string
	// Default is its default value, empty for none.
	Default string
}

// Flags returns the flags of file mode. Setting them has no effect on the function.
func (f Function) Flags() []Flag {
	r := newRun(f)
	set := r.flagSet(&flagErrors{})
	keys := f.projectKeys()
	fields := r.allFlags()
	flags := make([]Flag, len(fields))
	for i, field := range fields {
		flags[i] = Flag{Flag: set.Lookup(field.flag), Argument: field.argument(), Values: field.enum, Key: keys[field.Key]}
		if !field.value.IsZero() {
			flags[i].Default = field.Default()
		}
	}
	return flags
}

// allFlags returns the fields that are flags.
func (r *run) allFlags() []Field { return slices.Concat(r.configFlags(), r.commonFlags()) }

// FlagGroup are flags that belong together.
type FlagGroup struct {
	// Title is a noun, such as "delivery".
	Title string
	// Flags are their names, in the order of the help.
	Flags []string
}

// fields returns the flags of the group that the function has.
func (g FlagGroup) fields(all []Field) []Field {
	var found []Field
	for _, name := range g.Flags {
		for _, f := range all {
			if f.flag == name {
				found = append(found, f)
			}
		}
	}
	return found
}
