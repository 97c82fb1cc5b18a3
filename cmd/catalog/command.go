package main

import (
	"bytes"
	"io"

	"github.com/spf13/pflag"
)

// command is one subcommand.
type command struct {
	name string
	// usage is what follows the name, such as "NAME [PATH...]".
	usage string
	// purpose is one sentence, details what else must be known.
	purpose, details string
	example          string
	// least and most are how many arguments there must be; most is -1 where there may be any number.
	least, most int
	// prepare declares the flags and returns the work.
	prepare func(*pflag.FlagSet) func(*call) error
}

// call is one run of a subcommand.
type call struct {
	args  []string
	stdin io.Reader
	// out becomes stdout, and notes stderr, when the work is done; what is on out is dropped where the call is wrong.
	out, notes bytes.Buffer
}

// paths returns the arguments from the given one on, the working directory where there are none.
func (c *call) paths(from int) []string {
	if len(c.args) <= from {
		return []string{"."}
	}
	return c.args[from:]
}

// commands returns all subcommands, in the order of the help.
func commands() []command {
	return []command{
		indexCommand(), lintCommand(), listCommand(), versionsCommand(), explainCommand(), diffCommand(), yankCommand(),
		deprecateCommand(), pushCommand(), pullCommand(),
	}
}
