// Package process is what stands between a KRM function and the process it runs in: stdin mode and file mode, flags,
// the functionConfig, results on stderr and the exit code. Only a main calls it.
package process

import (
	"fmt"
	"io"
	"os"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Function describes one KRM function.
type Function struct {
	// Name is the name of the program, such as "render-phase".
	Name string
	// Purpose is one sentence for --help.
	Purpose string
	// Kind is the kind of the typed functionConfig, such as "RenderPhase".
	Kind string
	// Example is a command line or two that --help shows.
	Example string
	// Prints is what file mode writes to stdout.
	Prints Output
	// Config returns a fresh config that holds the defaults. It must be a pointer to a struct whose fields are strings,
	// bools, ints, lists of strings or maps of strings, with a `json` tag for the functionConfig's key and a `help` tag.
	// Each field is a flag of file mode too, its key in kebab-case.
	Config func() Config
}

// Output is what file mode writes to stdout.
type Output int

// The outputs of file mode.
const (
	Documents Output = iota // the resulting documents, without local-config ones unless --keep-inputs
	Findings                // the findings; nothing is changed
)

// Config is a function's configuration, and its work.
type Config interface {
	// Process reads and edits the list and reports results to it. The summary is one line for people, such as
	// "rendered 3 Jobs for 2 resources". An error means that the list cannot be processed at all: exit 2. Everything that
	// is wrong with a document or with the config's values is a result instead.
	Process(call Call) (summary string, err error)
}

// Call is one run of a function.
type Call struct {
	List *krm.ResourceList
	// ConfigName is the functionConfig's metadata.name, in file mode the function's name.
	ConfigName string
	// FileMode tells that the list was read from files, not from an orchestrator.
	FileMode bool
}

// Main runs the function on the process's arguments and streams, and exits.
func Main(f Function) { os.Exit(f.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Run is Main without the process: it returns the exit code.
func (f Function) Run(_ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	src, err := io.ReadAll(stdin)
	if err != nil {
		return fail(stderr, f.Name, err)
	}
	list, err := krm.Parse(src)
	if err != nil {
		return fail(stderr, f.Name, err)
	}
	config := f.Config()
	if node := list.FunctionConfig(); node != nil {
		for _, problem := range decode.Into(node, "", config) {
			fmt.Fprintln(stderr, problem.Path, problem.Message)
		}
	}
	if _, err := config.Process(Call{List: list, ConfigName: f.Name}); err != nil {
		return fail(stderr, f.Name, err)
	}
	if _, err := list.WriteTo(stdout); err != nil {
		return fail(stderr, f.Name, err)
	}
	if list.Results().Failed() {
		return 1
	}
	return 0
}

func fail(stderr io.Writer, name string, err error) int {
	fmt.Fprintf(stderr, "%s: %v\n", name, err)
	return 2
}
