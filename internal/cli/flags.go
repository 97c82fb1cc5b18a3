package cli

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// reading holds the flags for the input.
type reading struct {
	Set               map[string]string `json:"set" help:"value of a variable of native documents, for @{KEY}; repeatable"`
	Values            []string          `json:"values" arg:"FILE" help:"file with variables; --set overrides it; repeatable"`
	AllowEmbedOutside bool              `json:"allowEmbedOutside" help:"let @{embed: FILE} leave the document's folder"`

	Kustomize  []string `json:"kustomize" short:"k" arg:"DIR" help:"kustomization to build as input; repeatable"`
	Exclude    []string `json:"exclude" arg:"PATTERN" help:"files to exclude from folders, as in a .gitignore; repeatable"`
	AllowEmpty bool     `json:"allowEmpty" help:"only warn if there is nothing to read, render or keep"`
}

// common are the flags that every function has.
type common struct {
	Verbose     bool `json:"verbose" help:"print a summary and the skipped files on stderr"`
	Help        bool `json:"help" short:"h" help:"show this text"`
	ShowVersion bool `json:"version" help:"show the version"`
}

// watching is the flag of functions with Function.Watch.
type watching struct {
	Watch bool `json:"watch" help:"run again whenever a file changes, until it is interrupted"`
}

// describing is the flag of functions whose --help describes the most important flags only.
type describing struct {
	HelpAll bool `json:"helpAll" help:"describe all flags, in groups; rplug.yaml can set most of them"`
}

// fileMode reports whether documents are read from files.
func (r *run) fileMode() bool { return r.WithoutStdin || len(r.paths) > 0 || len(r.Kustomize) > 0 }

// parse reads the arguments into the options and the config.
func (r *run) parse(args []string) error {
	if len(args) == 0 && !r.WithoutStdin {
		return nil
	}
	var wrong flagErrors
	flags := r.flagSet(&wrong)
	r.flags = flags
	if err := flags.Parse(args); err != nil {
		return FlagError(err, flags)
	}
	if r.paths = flags.Args(); r.WithoutStdin && len(r.paths)+len(r.Kustomize) == 0 {
		r.paths = []string{"."}
	}
	if r.Help || r.HelpAll || r.ShowVersion || r.Doc {
		return nil
	}
	switch {
	case len(wrong) > 0:
		return wrong
	case r.explains() && flags.Changed("explain"):
		return r.checkExplain()
	}
	return r.check()
}

// flagSet returns the flags of file mode. Wrong values are collected.
func (r *run) flagSet(wrong *flagErrors) *pflag.FlagSet {
	flags := pflag.NewFlagSet(r.Command, pflag.ContinueOnError)
	for _, f := range append(r.configFlags(), r.commonFlags()...) {
		given := &givenFlag{flagValue{Field: f}, wrong}
		var value pflag.Value = given
		if kind := f.value.Kind(); kind == reflect.Slice || kind == reflect.Map {
			value = repeatedFlag{given}
		}
		flag := flags.VarPF(value, f.flag, f.short, f.Help)
		switch {
		case f.value.Kind() == reflect.Bool:
			flag.NoOptDefVal = "true"
		case f.value.Addr().Interface() == &r.Explain:
			flag.NoOptDefVal = allRules
		}
	}
	return flags
}

// configFlags returns the fields of the config that have a flag.
func (r *run) configFlags() []Field {
	return slices.DeleteFunc(fieldsOf(r.config), func(f Field) bool { return f.flag == "" })
}

// flagErrors are flags whose value is wrong: a line for each, such as "--phases: must be create or delete".
type flagErrors []error

// Error returns the lines.
func (e flagErrors) Error() string { return errors.Join(e...).Error() }

// Unwrap returns the errors, as errors.Join's does.
func (e flagErrors) Unwrap() []error { return e }

func (e *flagErrors) add(flag, message string) { *e = append(*e, errors.New(flag+": "+message)) }

// givenFlag is a flag on the command line. Its wrong values are collected, so that all are reported at once.
type givenFlag struct {
	flagValue
	wrong *flagErrors
}

// Set implements pflag.Value.
func (g *givenFlag) Set(text string) error {
	if err := g.flagValue.Set(text); err != nil {
		g.wrong.add("--"+g.flag, err.Error())
	}
	return nil
}

// repeatedFlag is a flag that may be given several times.
type repeatedFlag struct{ *givenFlag }

// GetSlice implements cobra.SliceValue: a shell proposes the flag again.
func (repeatedFlag) GetSlice() []string { return nil }

// commonFlags returns the flags that are not about the config.
func (r *run) commonFlags() []Field {
	fields := fieldsOf(&r.reading)
	if r.OpenRevision != nil {
		fields = append(fields, fieldsOf(&r.comparing)...)
	}
	for _, mode := range r.modes {
		fields = append(fields, mode.flags()...)
	}
	if r.ReadsProject {
		fields = append(fields, fieldsOf(&r.fromProject)...)
	}
	if r.explains() {
		explain := fieldsOf(&r.explaining)
		for _, rule := range r.Rules {
			explain[0].enum = append(explain[0].enum, rule.ID)
		}
		fields = append(fields, explain...)
	}
	if r.Command == r.Name {
		fields = append(fields, fieldsOf(&r.documenting)...)
	}
	if r.Groups != nil {
		fields = append(fields, fieldsOf(&r.describing)...)
	}
	if r.Function.Watch != nil {
		fields = append(fields, fieldsOf(&r.watching)...)
	}
	return append(fields, fieldsOf(&r.common)...)
}

// FlagError words an error of pflag as all our programs do; an unknown flag comes with the nearest known one.
func FlagError(err error, flags *pflag.FlagSet) error {
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(unknown, flags)
	case errors.As(err, &valueless):
		return fmt.Errorf("--%s must have a value", valueless.GetFlag().Name)
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	}
	return err
}

func unknownFlag(unknown *pflag.NotExistError, flags *pflag.FlagSet) error {
	name := unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag %q: see --help", "-"+name)
	}
	var known []string
	flags.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near, _ := strictyaml.Nearest(name, known); near != "" {
		return fmt.Errorf("unknown flag %q: did you mean %q?", "--"+name, "--"+near)
	}
	return fmt.Errorf("unknown flag %q: see --help", "--"+name)
}

// check refuses combinations of flags that have no meaning.
func (r *run) check() error {
	if !r.fileMode() && !r.PrintConfig {
		if given := givenExcept(r.flags, "verbose"); given != "" {
			return fmt.Errorf("--%s must come with a path: without one the functionConfig on stdin decides", given)
		}
		return nil
	}
	if wrong := r.wrongVariables(); len(wrong) > 0 {
		return wrong
	}
	for _, mode := range r.modes {
		if err := mode.check(r); err != nil {
			return err
		}
	}
	if err := r.checkBase(); err != nil {
		return err
	}
	return r.configureFiles()
}

// wrongVariables returns the errors of the values of --set.
func (r *run) wrongVariables() (wrong flagErrors) {
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		switch {
		case !load.IsVariable(name):
			wrong.add("--set", load.VariableError(name).Error())
		case !utf8.ValidString(r.Set[name]):
			wrong.add("--set", fmt.Sprintf("the value of %q must be UTF-8", name))
		}
	}
	return wrong
}

// givenExcept returns the name of a given flag other than the allowed ones; empty without such a flag.
func givenExcept(flags *pflag.FlagSet, allowed ...string) string {
	name := ""
	flags.Visit(func(f *pflag.Flag) {
		if name == "" && !slices.Contains(allowed, f.Name) {
			name = f.Name
		}
	})
	return name
}
