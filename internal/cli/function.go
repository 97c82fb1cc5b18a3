// Package cli runs a KRM function as a program. It reads arguments and streams, passes a list of documents to the
// function, and turns its results into output and an exit code. The main type is Function: a main function passes one to
// Main, and a command with subcommands calls Function.Run.
//
// Without a path a function reads a ResourceList from stdin and writes it to stdout, as orchestrators expect (stdin
// mode). With paths it reads files, and prints findings or documents for people and for kubectl (file mode). The exit
// code is 0 without an error finding, 1 with one, and 2 if the call itself is wrong, such as the value of a flag; then
// nothing is written to stdout.
package cli

import (
	"cmp"
	"context"
	"io"
	"os"

	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Function describes one KRM function.
type Function struct {
	// Name is the name of the function, such as "render-phase". Documents and reports name it so.
	Name string
	// Command is how the function is called in messages and in --help, such as "rplug render"; Name if empty.
	Command string
	// Purpose is one sentence for --help.
	Purpose string
	// Kind is the kind of the typed functionConfig, such as "RenderPhase".
	Kind string
	// Example holds one or more command lines for --help, which begin with Name.
	Example string
	// Config returns a new config that holds the defaults. It must be a pointer to a struct whose fields are strings,
	// bools, ints, lists of strings or maps of strings, with a `json` tag for the functionConfig's key and a `help` tag.
	// Each field is a flag of file mode too, its key in kebab-case, unless it is tagged `flag:"-"`.
	Config func() Config
	// Extensions are the features that the function has.
	Extensions []extension.Extension
	// Rules are the rules that the results name, for formats that describe them and for --explain; nil without rules.
	Rules validate.Ruleset
	// Modes returns the modes of file mode, new ones for each run. The first mode is used unless a flag asks for another
	// one.
	Modes func() []Mode
	// OpenRevision opens the files of a git revision. If it is set, file mode has --base and --base-ref, and Call has
	// the older state.
	OpenRevision func(name string) (Revision, error)
	// Workloads reports that the function works on Kubernetes objects of any kind, so that paths with nothing else are not a
	// mistake.
	Workloads bool
	// ReadsProject reports that file mode reads the project file rplug.yaml: variables, and patterns of excluded files.
	ReadsProject bool
	// Project has the other keys of the project file that have a meaning for the function: fields of the config, sections
	// with such fields, and "catalogs" if the documents of catalogs are input.
	Project []string
	// Groups are all flags in groups, for --help-all; --help describes those of the first. Nil if --help describes all.
	Groups []FlagGroup
	// Watch calls Watched.Start, and Watched.Changed until the context ends. If it is set, file mode has --watch.
	Watch func(ctx context.Context, files Watched) error
	// WithoutStdin reports that the function has no stdin mode. Without a path it reads the working folder.
	WithoutStdin bool
}

// Main runs the function on the process's arguments and streams, and exits. Signals are handled if a file is written or
// a terminal shows progress; a function between two pipes needs no cleanup.
func Main(f Function) {
	ctx := context.Background()
	if len(os.Args) > 1 || isRegular(os.Stdout) {
		ctx = HandleSignals(func() { EraseProgress(os.Stderr) })
	}
	stderr, flush := report.ForLog(os.Stderr, os.Getenv)
	code := f.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, stderr)
	flush()
	os.Exit(code)
}

// Run is Main without the process: it returns the exit code.
func (f Function) Run(
	ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer,
) (code int) {
	f.Command = cmp.Or(f.Command, f.Name)
	r := newRun(f)
	r.stdin, r.stdout, r.stderr = stdin, newOutput(ctx, stdout), stderr
	defer r.recover(&code)
	if err := r.parse(args); err != nil {
		return r.fail(err)
	}
	switch {
	case r.Help, r.HelpAll:
		return r.print(r.help())
	case r.Doc:
		return r.printDocumentation()
	case r.ShowVersion:
		return r.print(f.Command + " " + BuildVersion() + "\n")
	case r.Explain != "":
		return r.print(r.explanation())
	case r.PrintConfig:
		return r.print(r.inForce())
	case r.watching.Watch:
		return r.watch(ctx, args)
	case r.fileMode():
		return r.files(ctx)
	default:
		return r.stream()
	}
}
