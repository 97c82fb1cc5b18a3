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
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/template"
)

// options are the flags that every function has.
type options struct {
	Set               map[string]string `json:"set" help:"value of a variable of native documents, for @{KEY}; repeatable"`
	Values            []string          `json:"values" arg:"FILE" help:"file with values of variables; --set wins; repeatable"`
	AllowEmbedOutside bool              `json:"allowEmbedOutside" help:"let @{embed: FILE} leave the document's folder"`

	Kustomize     []string `json:"kustomize" short:"k" arg:"DIR" help:"kustomization to build as input; repeatable"`
	Exclude       []string `json:"exclude" arg:"PATTERN" help:"what folders are read without, as in a .gitignore; repeatable"`
	AllowEmpty    bool     `json:"allowEmpty" help:"only warn if the paths have no document for us"`
	KeepInputs    bool     `json:"keepInputs" help:"print local-config documents too"`
	Base          string   `json:"base" arg:"PATH" help:"file or folder with an older state, to compare with"`
	BaseRef       string   `json:"baseRef" arg:"REVISION" help:"git revision with an older state of the paths, such as main"`
	Write         bool     `json:"write" help:"write the pins into the files, and print nothing"`
	WriteLock     string   `json:"writeLock" arg:"FILE" help:"make or update the lock, and print nothing"`
	Graph         string   `json:"graph" arg:"FORMAT" help:"draw the documents"`
	OutputDir     string   `json:"outputDir" arg:"DIR" help:"write to files of this folder, and print nothing"`
	Check         string   `json:"check" arg:"DIR" help:"print how a folder that was written differs; exit code 1 if it does"`
	FilePer       string   `json:"filePer" arg:"KIND" help:"what gets a file of its own in the folder: sandbox or object"`
	Kustomization bool     `json:"kustomization" help:"write a kustomization.yaml to the folder, too"`
	Overwrite     bool     `json:"overwrite" help:"replace files that were edited since they were written, too"`

	Format      string `json:"output" short:"o" arg:"FORMAT" help:"how findings are printed: text, json, sarif or junit"`
	Context     bool   `json:"context" help:"print the source below each finding, as it is on a terminal"`
	Fix         bool   `json:"fix" help:"change the files where a fix is certain; exit code 1 if one was"`
	NoProject   bool   `json:"noProject" help:"do not read the project file rplug.yaml"`
	PrintConfig bool   `json:"printConfig" help:"print what is in force, and where it is from, and read no document"`
	Explain     string `json:"explain" arg:"[RULE]" help:"describe rules, or list all, and read nothing"`
	Verbose     bool   `json:"verbose" help:"print a summary, and what was skipped, on stderr"`
	Help        bool   `json:"help" short:"h" help:"show this text"`
	ShowVersion bool   `json:"version" help:"show the version"`
}

// fileMode reports whether documents are read from files.
func (r *run) fileMode() bool { return r.WithoutStdin || len(r.paths) > 0 || len(r.Kustomize) > 0 }

// parse reads the arguments into the options and the config.
func (r *run) parse(args []string) error {
	r.Format, r.FilePer = report.Text, perSandbox
	if len(args) == 0 && !r.WithoutStdin {
		return nil
	}
	var wrong flagErrors
	flags := r.flagSet(&wrong)
	if err := flags.Parse(args); err != nil {
		return FlagError(err, flags)
	}
	if r.paths = flags.Args(); r.WithoutStdin && len(r.paths)+len(r.Kustomize) == 0 {
		r.paths = []string{"."}
	}
	if r.Help || r.ShowVersion {
		return nil
	}
	switch {
	case len(wrong) > 0:
		return wrong
	case flags.Changed("explain") && r.Rules != nil && r.Output == Findings:
		return r.checkExplain(flags)
	}
	return r.check(flags)
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

// commonFlags returns the options that have a meaning for this function.
func (r *run) commonFlags() []Field {
	fields := slices.DeleteFunc(fieldsOf(&r.options), r.lacks)
	for i := range fields {
		switch {
		case fields[i].Key == "graph":
			fields[i].Help, fields[i].enum = r.Drawing.help(), r.Drawing.Formats
		case fields[i].Key == "output":
			fields[i].enum = report.Formats()
		case fields[i].Key == "explain":
			for _, rule := range r.Rules {
				fields[i].enum = append(fields[i].enum, rule.ID)
			}
		case fields[i].Key == "keepInputs" && r.Output == Objects:
			fields[i].Help = "print the documents that were read, too"
		}
	}
	return fields
}

// lacks reports whether an option has no meaning for this function.
func (r *run) lacks(f Field) bool {
	if f.isOfFolder() {
		return r.Folder == nil
	}
	switch f.Key {
	case "graph":
		return r.Drawing == nil
	case "write", "writeLock":
		return r.LockKind == ""
	case "keepInputs":
		return r.Output == Findings || r.Folder != nil || r.Page != nil
	case "output":
		return r.Output != Findings && r.Folder == nil
	case "noProject", "printConfig":
		return !r.ReadsProject
	case "base", "baseRef":
		return r.OpenRevision == nil
	case "context", "fix", "explain":
		return r.Output != Findings || r.Rules == nil && f.Key == "explain"
	}
	return false
}

// isOfFolder reports whether an option is about a folder that is written.
func (f Field) isOfFolder() bool {
	return slices.Contains([]string{"outputDir", "check", "filePer", "kustomization", "overwrite"}, f.Key)
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
func (r *run) check(flags *pflag.FlagSet) error {
	if !r.fileMode() && !r.PrintConfig {
		if given := givenExcept(flags, "verbose"); given != "" {
			return fmt.Errorf("--%s must come with a path: without one the functionConfig on stdin decides", given)
		}
		return nil
	}
	if wrong := r.wrongVariables(); len(wrong) > 0 {
		return wrong
	}
	if formats := report.Formats(); !slices.Contains(formats, r.Format) {
		return fmt.Errorf("--output must be one of %q, not %q", formats, r.Format)
	}
	switch {
	case r.WriteLock == load.Stdin:
		return errors.New("--write-lock must be a file")
	case r.Write && r.KeepInputs:
		return errors.New("--write must be without --keep-inputs: nothing is printed")
	case r.WriteLock != "" && r.KeepInputs:
		return errors.New("--write-lock must be without --keep-inputs: nothing but the lock is written")
	}
	if err := r.checkInputs(); err != nil {
		return err
	}
	if err := r.checkFolder(flags); err != nil {
		return err
	}
	if err := r.checkGraph(flags); err != nil {
		return err
	}
	return r.configureFiles(flags)
}

// wrongVariables returns what is wrong with the values of --set.
func (r *run) wrongVariables() (wrong flagErrors) {
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		switch {
		case !template.IsVariable(name):
			wrong.add("--set", template.VariableError(name).Error())
		case !utf8.ValidString(r.Set[name]):
			wrong.add("--set", fmt.Sprintf("the value of %q must be UTF-8", name))
		}
	}
	return wrong
}

// checkInputs refuses inputs that cannot be fixed or compared as the flags ask.
func (r *run) checkInputs() error {
	stdin := slices.Contains(r.paths, load.Stdin)
	switch {
	case r.Fix && stdin:
		return errors.New("--fix must come with files: the standard input cannot be changed")
	case r.Fix && len(r.Kustomize) > 0:
		return errors.New("--fix must come with files, without --kustomize: what a folder builds cannot be changed")
	case r.Base != "" && r.BaseRef != "":
		return errors.New("--base and --base-ref must not be given together: each names the older state")
	case r.Base == load.Stdin && stdin:
		return errors.New("--base must not be the standard input if that is to be checked")
	case r.BaseRef != "" && stdin:
		return errors.New("--base-ref must come with paths of a git repository, not with the standard input")
	case r.BaseRef != "" && len(r.Kustomize) > 0:
		return errors.New("--base-ref must come with paths of a git repository, without --kustomize")
	}
	return nil
}

// givenExcept returns the name of a flag that is given, but for the allowed ones; empty if there is none.
func givenExcept(flags *pflag.FlagSet, allowed ...string) string {
	name := ""
	flags.Visit(func(f *pflag.Flag) {
		if name == "" && !slices.Contains(allowed, f.Name) {
			name = f.Name
		}
	})
	return name
}
