package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// The exit codes.
const (
	exitClean    = 0
	exitFindings = 1 // a document, a reference or a change is refused
	exitCall     = 2 // the call itself is wrong
)

// refusal is an error about what documents say, not about the call.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func refuse(err error) error {
	if err == nil {
		return nil
	}
	return refusal{err}
}

// run is the program without the process: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		_, _ = io.WriteString(stderr, help())
		return exitCall
	}
	switch args[0] {
	case "-h", "--help", "help":
		return write(stdout, stderr, help())
	case "--version":
		return write(stdout, stderr, "catalog "+ownVersion()+"\n")
	case lintCommand().name:
		return lint(args[1:], stdin, stdout, stderr)
	}
	var names []string
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:], stdin, stdout, stderr)
		}
		names = append(names, c.name)
	}
	guess := "see --help"
	if nearest, _ := strictyaml.Nearest(args[0], names); nearest != "" {
		guess = fmt.Sprintf("did you mean %q?", nearest)
	}
	_, _ = fmt.Fprintf(stderr, "catalog: unknown command %q: %s\n", args[0], guess)
	return exitCall
}

func (c command) run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	work := c.prepare(flags)
	flags.BoolP("help", "h", false, "show this text")
	switch err := flags.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return write(stdout, stderr, c.help(flags))
	case err != nil:
		return c.fail(stderr, cli.FlagError(err, flags))
	}
	if asked, _ := flags.GetBool("help"); asked {
		return write(stdout, stderr, c.help(flags))
	}
	if n := flags.NArg(); n < c.least || c.most >= 0 && n > c.most {
		return c.fail(stderr, fmt.Errorf("arguments must be %s: see --help", cmp.Or(c.usage, "none")))
	}
	this := &call{args: flags.Args(), stdin: stdin}
	err := work(this)
	var found documents.Findings
	var refused refusal
	switch {
	case errors.As(err, &found):
		this.notes.WriteString(found.Error() + "\n")
	case errors.As(err, &refused):
		for _, line := range strings.Split(err.Error(), "\n") {
			fmt.Fprintf(&this.notes, "catalog %s: %s\n", c.name, documents.Printable(line))
		}
	case err != nil:
		return c.fail(stderr, err)
	}
	_, _ = this.notes.WriteTo(stderr)
	if code := write(stdout, stderr, this.out.String()); code != exitClean || err == nil {
		return code
	}
	return exitFindings
}

func (c command) fail(stderr io.Writer, err error) int {
	_, _ = fmt.Fprintf(stderr, "catalog %s: %s\n", c.name, documents.Printable(err.Error()))
	return exitCall
}

func write(stdout, stderr io.Writer, text string) int {
	if _, err := io.WriteString(stdout, text); err != nil {
		_, _ = fmt.Fprintf(stderr, "catalog: stdout must be writable: %s\n", err)
		return exitCall
	}
	return exitClean
}

func ownVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && cli.Version == "" {
		return cmp.Or(info.Main.Version, "(devel)")
	}
	return cmp.Or(cli.Version, "(devel)")
}

// screen is how wide the help is, in characters.
const screen = 100

const exitCodes = "\nexit code: 0 if done, 1 if a document, a reference or a change is refused, 2 if the call is wrong\n"

func help() string {
	var b strings.Builder
	b.WriteString("catalog keeps catalogs of resource plugins.\n\nusage:\n  catalog COMMAND [flags] [arguments]\n\ncommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-10s %s\n", c.name, c.purpose)
	}
	b.WriteString("\nflags:\n  --help     show this text, or that of a command\n  --version  show the version\n" + exitCodes)
	return b.String()
}

func (c command) help(flags *pflag.FlagSet) string {
	return fmt.Sprintf("catalog %s %s.\n\nusage:\n  catalog %s\n\n%s\n\nflags:\n%s\nexample:\n  %s\n%s", c.name, c.purpose,
		strings.TrimSpace(c.name+" [flags] "+c.usage), c.details, flags.FlagUsagesWrapped(screen),
		strings.ReplaceAll(c.example, "\n", "\n  "), exitCodes)
}
