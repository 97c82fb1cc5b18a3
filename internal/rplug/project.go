package rplug

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// inputs are what a command that is no function reads: documents, with the variables of its flags and what the project file
// says.
type inputs struct {
	// project is the project file, nil if there is none.
	project *cli.Project
	// readsCatalogs reports that the catalogs of the project file are input, and catalogs are their paths then.
	readsCatalogs bool
	catalogs      []string

	set                    map[string]string
	values                 []string
	noProject, printConfig bool
}

// readsProject makes a command read the project file before it runs, and gives it the flags for variables, --no-project and
// --print-config. It is called when the command is complete.
func (in *inputs) readsProject(command *cobra.Command) *cobra.Command {
	flags := command.Flags()
	in.set = setFlag(flags)
	flags.StringArrayVar(&in.values, "values", nil, "`FILE` with values of variables; --set wins; repeatable")
	flags.BoolVar(&in.noProject, "no-project", false, "do not read the project file "+cli.ProjectFile)
	flags.BoolVar(&in.printConfig, "print-config", false, "print what is in force, and where it is from, alone")
	checkArguments, run := command.Args, command.RunE
	command.Args = func(c *cobra.Command, args []string) error {
		if in.printConfig {
			return nil
		}
		return checkArguments(c, args)
	}
	command.RunE = func(c *cobra.Command, args []string) (err error) {
		if !in.noProject {
			if in.project, err = cli.FindProject("."); err != nil {
				return err
			}
		}
		if in.readsCatalogs {
			if in.catalogs, err = in.project.CatalogPaths(); err != nil {
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

// print prints what is in force.
func (in *inputs) print(c *cobra.Command) error {
	var s cli.Settings
	values, err := in.project.Variables(in.values, in.set)
	if err != nil {
		return err
	}
	s.Variables(values)
	s.Exclusions(in.project)
	if in.readsCatalogs {
		s.Catalogs(in.project, in.catalogs)
	}
	_, err = io.WriteString(c.OutOrStdout(), s.Text(c.CommandPath(), in.project.Name()))
	return err
}

// read reads documents as file mode of the functions does, `-` from stdin.
func (in *inputs) read(paths []string, stdin io.Reader) ([]*krm.Item, error) {
	options, err := in.options(stdin)
	if err != nil {
		return nil, err
	}
	return readWith(paths, options)
}

// options say how documents are read.
func (in *inputs) options(stdin io.Reader) (load.Options, error) {
	values, err := in.project.Variables(in.values, in.set)
	if err != nil {
		return load.Options{}, err
	}
	return load.Options{Values: cli.Texts(values), Input: stdin, Exclude: in.project.Exclusions()}, nil
}

// pathsFrom returns the arguments from the given one on. If there are none these are the working directory and the catalogs
// of the project file.
func (in *inputs) pathsFrom(args []string, from int) []string {
	if len(args) <= from {
		return slices.Concat([]string{"."}, in.catalogs)
	}
	return args[from:]
}

// readWith reads documents, and refuses them if there is an error.
func readWith(paths []string, options load.Options) ([]*krm.Item, error) {
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
