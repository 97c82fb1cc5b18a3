package rplug

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Inputs are the documents that a command reads, with variables from flags and settings from the project file.
type Inputs struct {
	// Features are the features of the program, which can read additional files.
	Features []extension.Extension
	// Project is the project file, or nil without one.
	Project *cli.Project
	// ReadsCatalogs makes the catalogs of the project file input; Catalogs are their paths then.
	ReadsCatalogs bool
	Catalogs      []string

	set                    map[string]string
	values                 []string
	noProject, printConfig bool
}

// ReadProject makes a command read the project file before it runs, and adds the flags for variables, --no-project and
// --print-config. Call it when the command is complete.
func (in *Inputs) ReadProject(command *cobra.Command) *cobra.Command {
	flags := command.Flags()
	in.set = declareSet(flags)
	flags.StringArrayVar(&in.values, "values", nil, "`FILE` with variables; --set overrides it; repeatable")
	flags.BoolVar(&in.noProject, "no-project", false, "do not read the project file "+cli.ProjectFile)
	flags.BoolVar(&in.printConfig, "print-config", false, "only print the options in force and their sources")
	checkArguments, run := command.Args, command.RunE
	command.Args = func(c *cobra.Command, args []string) error {
		if in.printConfig {
			return nil
		}
		return checkArguments(c, args)
	}
	command.RunE = func(c *cobra.Command, args []string) (err error) {
		if !in.noProject {
			if in.Project, err = cli.FindProject(".", extension.Rules(in.Features)...); err != nil {
				return err
			}
		}
		if in.ReadsCatalogs {
			if in.Catalogs, err = in.Project.CatalogPaths(); err != nil {
				return err
			}
		}
		if in.printConfig {
			return in.print(c)
		}
		return run(c, args)
	}
	return command
}

// print prints the settings in effect.
func (in *Inputs) print(c *cobra.Command) error {
	var s cli.Settings
	values, err := in.Project.Variables(in.values, in.set)
	if err != nil {
		return err
	}
	s.Variables(values)
	s.Exclusions(in.Project)
	if in.ReadsCatalogs {
		s.Catalogs(in.Project, in.Catalogs)
	}
	_, err = io.WriteString(c.OutOrStdout(), s.Text(c.CommandPath(), in.Project.Name()))
	return err
}

// Read reads documents as in file mode of the functions; `-` is stdin.
func (in *Inputs) Read(paths []string, stdin io.Reader) ([]*krm.Item, error) {
	options, err := in.Options(stdin)
	if err != nil {
		return nil, err
	}
	return ReadWith(paths, options)
}

// Options returns the options for reading documents.
func (in *Inputs) Options(stdin io.Reader) (load.Options, error) {
	values, err := in.Project.Variables(in.values, in.set)
	if err != nil {
		return load.Options{}, err
	}
	return load.Options{
		Values: cli.Texts(values), Input: stdin, Exclude: in.Project.Exclusions(), Formats: extension.Formats(in.Features),
	}, nil
}

// PathsFrom returns the arguments starting at an index. Without such arguments, it returns the working directory and the
// catalogs of the project file.
func (in *Inputs) PathsFrom(args []string, from int) []string {
	if len(args) <= from {
		return slices.Concat([]string{"."}, in.Catalogs)
	}
	return args[from:]
}

// ReadWith reads documents, and returns an error if any of them has one.
func ReadWith(paths []string, options load.Options) ([]*krm.Item, error) {
	read, err := load.Read(paths, options)
	if err != nil {
		return nil, err
	}
	items := make([]*krm.Item, len(read.Documents))
	for i, d := range read.Documents {
		items[i] = d.Item
	}
	return items, report.Refused(read.Results())
}

// declareSet declares the flag --set for values of template variables, as in file mode of the functions. A value may contain
// commas and equals signs.
func declareSet(flags *pflag.FlagSet) map[string]string {
	values := map[string]string{}
	flags.Func("set", "`KEY=VALUE` of a variable, for @{KEY}; repeatable", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok || !load.IsVariable(name) {
			return fmt.Errorf("must be KEY=VALUE, the key a letter and letters, digits, %q, not %q", "_.-", name)
		}
		values[name] = value
		return nil
	})
	return values
}
