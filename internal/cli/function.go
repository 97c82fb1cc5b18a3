// Package cli runs a KRM function as a program: it reads arguments and streams, hands a list of documents to the
// function, and turns what the function reports into output and an exit code. Its main type is Function; a main calls
// Main with one, and a command with subcommands calls Function.Run.
//
// Without a path a function reads a ResourceList from stdin and writes it to stdout, as orchestrators expect (stdin
// mode). With paths it reads files, and prints findings or documents for people and for kubectl (file mode). The exit
// code is 0 without an error finding, 1 with one, and 2 if the call itself is wrong, such as the value of a flag; then
// nothing is on stdout.
package cli

import (
	"cmp"
	"io"
	"os"

	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
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
	// Output is what file mode writes to stdout.
	Output Output
	// Config returns a new config that holds the defaults. It must be a pointer to a struct whose fields are strings,
	// bools, ints, lists of strings or maps of strings, with a `json` tag for the functionConfig's key and a `help` tag.
	// Each field is a flag of file mode too, its key in kebab-case, unless it is tagged `flag:"-"`.
	Config func() Config
	// Extensions are the features that the function has.
	Extensions []extension.Extension
	// Image returns the image of the Crossplane package that file mode reads, as the config has it; nil if it has none.
	Image func(config Config) string
	// Rules are the rules that the results name, for formats that describe them and for --explain; nil if there are none.
	Rules validate.Ruleset
	// Suppress separates the results that comments in the documents suppress; nil if none can be. It is not called if the
	// config is wrong.
	Suppress func(config Config, list *krm.ResourceList, results krm.Results) (krm.Results, []validate.Suppressed)
	// OpenRevision opens the files of a git revision. If it is set, file mode has --base and --base-ref, and Call has
	// the older state.
	OpenRevision func(name string) (Revision, error)
	// LockKind is the kind of the document that file mode writes with --write-lock, empty if there is none. The function
	// changes the one of the list, or adds one if Call.WriteLock is set.
	LockKind string
	// Workloads reports that the function works on Kubernetes objects of any kind, so that paths that have nothing else are
	// no mistake.
	Workloads bool
	// ReadsProject reports that file mode reads the project file rplug.yaml: variables, and patterns of what is excluded.
	ReadsProject bool
	// Project has the other keys of the project file that have a meaning for the function: fields of the config, and
	// "catalogs" if the documents of catalogs are input.
	Project []string
	// Drawing gives file mode --graph; nil if there is nothing to draw.
	Drawing *Drawing
	// WithoutStdin reports that the function has no stdin mode. Without a path it reads the working folder.
	WithoutStdin bool
	// Folder writes the documents that file mode prints to a folder, or compares them with it. If it is set, file mode has
	// --output-dir and --check.
	Folder func(items []*krm.Item, options FolderOptions) (FolderReport, error)
	// Page returns a page about the run, which file mode prints in place of documents, with errors or without; nil if
	// documents are printed.
	Page func(config Config, run Run) ([]byte, error)
}

// Run is what a page is about.
type Run struct {
	// Report has the documents and the findings.
	*report.Report
	// Paths are the arguments, and Documents what would be printed: nothing if there is an error.
	Paths     []string
	Documents []*krm.Item
}

// Output is what file mode writes to stdout.
type Output int

// The outputs of file mode.
const (
	Documents Output = iota // the resulting documents, without local-config ones unless --keep-inputs
	Objects                 // what the function has rendered, see Call.SetRendered, or with --keep-inputs all documents
	Findings                // the findings; nothing is changed
)

// Config is a function's configuration, and its work.
type Config interface {
	// Process reads and edits the list and reports results to it. The summary is one line for people, such as
	// "rendered 3 Jobs for 2 resources". An error means that the list cannot be processed at all (exit code 2). Whatever
	// is wrong with a document or with the config's values is a result instead.
	Process(call Call) (summary string, err error)
}

// Call is one run of a function.
type Call struct {
	// List holds the documents and takes the results.
	List *krm.ResourceList
	// ConfigName is the functionConfig's metadata.name; in file mode, and without a functionConfig, the function's name.
	ConfigName string
	// FileMode reports whether the list was read from files, not from an orchestrator.
	FileMode bool
	// Base is the older state to compare with, nil if there is none.
	Base *Base

	// Partial reports that not all of the files could be read; the findings say why.
	Partial bool

	// WriteLock reports whether the lock of the list is written to a file.
	WriteLock bool

	found      *krm.Results
	suppressed *[]validate.Suppressed

	config   *krm.Item
	native   map[*krm.Item]bool
	packages map[*krm.Item]string
	rendered map[*krm.Item]bool // nil in stdin mode
	wrong    *flagErrors        // the fields of the config that have a wrong value
	text     *[]byte            // see Print
}

// IsNative reports whether the item came from a native document. There are none in stdin mode.
func (c Call) IsNative(item *krm.Item) bool { return c.native[item] }

// PackageOf returns the path of the Crossplane package that the item was read from, empty if it is part of none. There are
// none in stdin mode.
func (c Call) PackageOf(item *krm.Item) string { return c.packages[item] }

// Found returns what was found when the files were read, for a function that must know which errors comments suppress. It
// reports these findings then, and those that are suppressed with Suppressed.
func (c Call) Found() krm.Results {
	found := *c.found
	*c.found = nil
	return found
}

// Suppressed says which findings comments in the documents suppress, if the function has found that out itself.
func (c Call) Suppressed(findings ...validate.Suppressed) {
	*c.suppressed = append(*c.suppressed, findings...)
}

// SetRendered says which items of the list the function has rendered. In file mode a function whose output is Objects
// prints no others; any other function prints them though they are local-config.
func (c Call) SetRendered(items ...*krm.Item) {
	if c.rendered == nil {
		return
	}
	for _, item := range items {
		c.rendered[item] = true
	}
}

// Print makes file mode print a text in place of documents, if there is no error.
func (c Call) Print(text []byte) {
	if c.text != nil {
		*c.text = text
	}
}

// ConfigError reports that the value of a field of the config must be different: in file mode the call is wrong then (exit
// code 2), and else it is an error of the functionConfig. The key is the field's key, with what is below it in brackets or
// after a dot, such as `phases[1]`.
func (c Call) ConfigError(key krm.Path, message string) {
	c.wrong.add(FlagName(key), message)
	switch {
	case c.FileMode: // the call ends with the flags
	case c.config != nil:
		c.List.Report(krm.At(c.config, key, krm.Error, message))
	default:
		c.List.Report(krm.NewResult(krm.Error, "functionConfig "+string(key)+": "+message))
	}
}

// FlagName returns the flag of a field of a config, such as --helper-image.
func FlagName(key krm.Path) string { return "--" + kebab(firstKey(key)) }

// Main runs the function on the process's arguments and streams, and exits. Signals are handled if a file is written or
// a terminal shows progress; a function between two pipes needs no cleanup.
func Main(f Function) {
	if len(os.Args) > 1 || isRegular(os.Stdout) {
		HandleSignals(func() { EraseProgress(os.Stderr) })
	}
	stderr, flush := report.ForLog(os.Stderr, os.Getenv)
	code := f.Run(os.Args[1:], os.Stdin, os.Stdout, stderr)
	flush()
	os.Exit(code)
}

// Run is Main without the process: it returns the exit code.
func (f Function) Run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	f.Command = cmp.Or(f.Command, f.Name)
	r := &run{Function: f, stdin: stdin, stdout: output{stdout}, stderr: stderr, config: f.Config()}
	defer r.recover(&code)
	if err := r.parse(args); err != nil {
		return r.fail(err)
	}
	switch {
	case r.Help:
		return r.print(r.help())
	case r.ShowVersion:
		return r.print(f.Command + " " + BuildVersion() + "\n")
	case r.Explain != "":
		return r.print(r.explanation())
	case r.PrintConfig:
		return r.print(r.inForce())
	case r.fileMode():
		return r.files()
	default:
		return r.stream()
	}
}
