package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/template"
)

// options are the flags that every function has.
type options struct {
	Set               map[string]string `json:"set" help:"value of a variable of native documents, for @{KEY}; repeatable"`
	AllowEmbedOutside bool              `json:"allowEmbedOutside" help:"let @{embed: FILE} leave the document's folder"`
	KeepInputs        bool              `json:"keepInputs" help:"print local-config documents too"`
	Base              string            `json:"base" help:"file or folder with an older state, to compare with"`
	BaseRef           string            `json:"baseRef" help:"git revision with an older state of the paths, such as main"`
	Graph             string            `json:"graph" help:"draw the documents"`
	Output            string            `json:"output" help:"how findings are printed: text, json, sarif or junit"`
	Context           bool              `json:"context" help:"print the source below each finding, as it is on a terminal"`
	Fix               bool              `json:"fix" help:"change the files where a fix is certain; exit code 1 if one was"`
	Verbose           bool              `json:"verbose" help:"say on stderr what was done"`
	Help              bool              `json:"help" help:"show this text"`
	ShowVersion       bool              `json:"version" help:"show the version"`
}

// parse reads the arguments into the options and the config.
func (r *run) parse(args []string) error {
	r.Output = outputText
	if len(args) == 0 {
		return nil
	}
	flags := pflag.NewFlagSet(r.Name, pflag.ContinueOnError)
	for _, f := range r.flags() {
		short := ""
		if f.key == "help" {
			short = "h"
		}
		flag := flags.VarPF(&flagValue{field: f}, f.flag, short, f.help)
		if f.value.Kind() == reflect.Bool {
			flag.NoOptDefVal = "true"
		}
	}
	if err := flags.Parse(args); err != nil {
		return FlagError(err, flags)
	}
	r.paths = flags.Args()
	return r.check(flags)
}

// flags returns all fields that are flags of this function: those of its config, then the common ones.
func (r *run) flags() []field {
	var flags []field
	for _, f := range fieldsOf(r.config) {
		if f.flag != "" {
			flags = append(flags, f)
		}
	}
	return append(flags, r.commonFlags()...)
}

// commonFlags returns the options, without those that mean nothing to what this function prints.
func (r *run) commonFlags() []field {
	fields := slices.DeleteFunc(fieldsOf(&r.options), func(f field) bool {
		switch f.key {
		case "graph":
			return r.Drawing == nil
		case "keepInputs":
			return r.Prints != Documents
		case "output", "context", "fix":
			return r.Prints != Findings
		case "base", "baseRef":
			return r.OpenRevision == nil
		}
		return false
	})
	for i := range fields {
		if fields[i].key == "graph" {
			fields[i].help = r.Drawing.help()
		}
	}
	return fields
}

// FlagError words an error of pflag as all our programs do; an unknown flag comes with the nearest known one.
func FlagError(err error, flags *pflag.FlagSet) error {
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return fmt.Errorf("unknown flag %q: see --help", "-"+unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return unknownFlag(unknown.GetSpecifiedName(), flags)
	case errors.As(err, &valueless):
		return fmt.Errorf("--%s must have a value", valueless.GetSpecifiedName())
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	}
	return err
}

func unknownFlag(name string, flags *pflag.FlagSet) error {
	var known []string
	flags.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near, _ := strictyaml.Nearest(name, known); near != "" {
		return fmt.Errorf("unknown flag %q: did you mean %q?", "--"+name, "--"+near)
	}
	return fmt.Errorf("unknown flag %q: see --help", "--"+name)
}

// check refuses combinations that mean nothing.
func (r *run) check(flags *pflag.FlagSet) error {
	if r.Help || r.ShowVersion {
		return nil
	}
	if len(r.paths) == 0 {
		var alone error
		flags.Visit(func(f *pflag.Flag) {
			if f.Name != "verbose" && alone == nil {
				alone = fmt.Errorf("--%s must come with a path: without one the functionConfig on stdin decides", f.Name)
			}
		})
		return alone
	}
	for name, value := range r.Set {
		switch {
		case !template.IsVariable(name):
			return fmt.Errorf("--set: variable %q must start with a letter and hold letters, digits, %q only", name, "_.-")
		case !utf8.ValidString(value):
			return fmt.Errorf("--set: the value of %q must be UTF-8", name)
		}
	}
	if formatOf(r.Output) == nil {
		return fmt.Errorf("--output must be one of %q, not %q", outputs, r.Output)
	}
	if r.Fix && slices.Contains(r.paths, load.Stdin) {
		return errors.New("--fix must come with files: the standard input cannot be changed")
	}
	if err := r.checkGraph(flags); err != nil {
		return err
	}
	return r.checkBase()
}
