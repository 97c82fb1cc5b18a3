// Package command is the command line of krm-conformance. Run runs it.
package command

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/conformance/internal/check"
	"github.com/resource-plugins/krm-functions/conformance/internal/program"
	"github.com/resource-plugins/krm-functions/conformance/internal/report"
	"github.com/resource-plugins/krm-functions/conformance/internal/suite"
)

// The exit codes.
const (
	exitPassed = 0 // all cases that were run passed
	exitFailed = 1 // a case failed
	exitCall   = 2 // the call is wrong, or the suite could not be run
)

// Run runs the command with arguments, and returns its exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	code, err := run(args, stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "krm-conformance: %s\n", err)
		return exitCall
	}
	return code
}

func run(args []string, stdout, stderr io.Writer) (int, error) {
	o, flags := newOptions()
	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		_, err := fmt.Fprintf(stdout, help, flags.FlagUsages())
		return exitPassed, err
	} else if err != nil {
		return exitCall, fmt.Errorf("%w; see krm-conformance --help", err)
	}
	cases, err := suite.Load()
	if err != nil {
		return exitCall, err
	}
	data, err := o.data()
	switch {
	case err != nil:
		return exitCall, err
	case o.list:
		return exitPassed, list(stdout, cases)
	case o.explain != "":
		c := suite.Find(cases, o.explain)
		if c == nil {
			return exitCall, fmt.Errorf("--explain: unknown case %q; see krm-conformance --list", o.explain)
		}
		return exitPassed, report.Explain(stdout, c, data)
	}
	tested, err := o.suite(cases, data, flags.Args())
	if err != nil {
		return exitCall, err
	}
	if o.verbose {
		tested.Progress = func(c *suite.Case) { fmt.Fprintln(stderr, c.ID) }
	}
	outcomes, err := tested.Run()
	if err != nil {
		return exitCall, err
	}
	made := &report.Report{Function: o.functionName(flags.Args()), Profile: tested.Profile, Outcomes: outcomes}
	if err := made.Write(stdout, o.output); err != nil {
		return exitCall, err
	}
	if made.Failed() {
		return exitFailed, nil
	}
	return exitPassed, nil
}

// suite returns the suite that the flags describe.
func (o *options) suite(cases []*suite.Case, data suite.Data, args []string) (*check.Suite, error) {
	switch {
	case o.image == "" && len(args) == 0:
		return nil, errors.New("must have a function to test: -- PROGRAM ARGS… or --image REF; see krm-conformance --help")
	case o.image == "" && len(o.mounts) > 0:
		return nil, errors.New("--mount needs --image: a program reads the files of this machine")
	case !slices.Contains(report.Formats, o.output):
		return nil, fmt.Errorf("--output must be one of %s, not %q", strings.Join(report.Formats, ", "), o.output)
	case !slices.Contains(suite.Profiles, suite.Profile(o.profile)):
		return nil, fmt.Errorf("--profile must be generator, transformer or validator, not %q", o.profile)
	case !slices.Contains(suite.Levels, suite.Level(o.level)):
		return nil, fmt.Errorf("--level must be MUST, SHOULD, statement or convention, not %q", o.level)
	case o.timeout <= 0:
		return nil, fmt.Errorf("--timeout must be longer than 0, not %q", o.timeout)
	}
	skip, err := o.skipped(cases)
	if err != nil {
		return nil, err
	}
	function, err := program.New(program.Program{
		Args: args, Image: o.image, Runtime: o.runtime, Mounts: o.mounts, Timeout: o.timeout,
	})
	if err != nil {
		return nil, err
	}
	return &check.Suite{
		Cases: o.selected(cases), Program: function, Profile: suite.Profile(o.profile), Data: data, Skip: skip,
	}, nil
}

// selected returns the cases of at least the level. If a case needs another one that is not selected, it needs the case
// that the other one needs.
func (o *options) selected(cases []*suite.Case) []*suite.Case {
	least := slices.Index(suite.Levels, suite.Level(o.level))
	isSelected := func(c *suite.Case) bool { return slices.Index(suite.Levels, c.Level) <= least }
	var selected []*suite.Case
	for _, c := range cases {
		if !isSelected(c) {
			continue
		}
		for needed := suite.Find(cases, c.Needs); needed != nil && !isSelected(needed); needed = suite.Find(cases, c.Needs) {
			c.Needs = needed.Needs
		}
		selected = append(selected, c)
	}
	return selected
}

// functionName names the function in reports: without folders, so that reports of two machines are the same.
func (o *options) functionName(args []string) string {
	if o.image != "" {
		return o.image
	}
	return filepath.Base(args[0])
}

func list(w io.Writer, cases []*suite.Case) error {
	for _, c := range cases {
		if _, err := fmt.Fprintf(w, "%-28s %-10s  %s\n", c.ID, c.Level, c.Title); err != nil {
			return err
		}
	}
	return nil
}
