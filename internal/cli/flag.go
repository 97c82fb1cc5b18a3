package cli

import "github.com/spf13/pflag"

// Flag is a flag of file mode, for shells that complete it.
type Flag struct {
	*pflag.Flag
	// Argument names its value as --help does, such as FILE; empty for a switch.
	Argument string
	// Values are those that it, or each element of its list, may have; nil for any.
	Values []string
}

// Flags returns the flags of file mode. Setting them has no effect on the function.
func (f Function) Flags() []Flag {
	r := newRun(f)
	set := r.flagSet(&flagErrors{})
	fields := append(r.configFlags(), r.commonFlags()...)
	flags := make([]Flag, len(fields))
	for i, field := range fields {
		flags[i] = Flag{set.Lookup(field.flag), field.argument(), field.enum}
	}
	return flags
}
