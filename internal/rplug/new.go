package rplug

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func newCommand(features []extension.Extension) *cobra.Command {
	command := &cobra.Command{
		Use: "new COMMAND", GroupID: GroupBuild, Args: cobra.ArbitraryArgs, RunE: Unknown,
		Short: "Write the first files of a project, a plugin, a sandbox or a test",
		Long: "Write the first files of a project, a plugin, a sandbox or a test. They are valid and render as they\n" +
			"are. A file that exists with other content is not replaced: nothing is written then. A second call\n" +
			"of the same command changes nothing.\n\n" + ExitCodes,

		SuggestionsMinimumDistance: SuggestionDistance,
	}
	command.AddCommand(newProjectCommand(), newPluginCommand(), newSandboxCommand(features), newTestCommand())
	return command
}

// newFlags are the flags of all subcommands of rplug new.
type newFlags struct {
	dir           string
	dryRun, force bool
}

func (f *newFlags) add(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&f.dir, "dir", ".", "`DIR` that the files are below; made if it does not exist")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the files, and write nothing")
	flags.BoolVar(&f.force, "force", false, "replace files that exist with other content")
	_ = command.MarkFlagDirname("dir")
	for _, name := range []string{"version", "params", "outputs", "image", "description", "resource", "cluster", "param"} {
		if flags.Lookup(name) != nil {
			_ = command.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
		}
	}
}

// write writes files, and prints the next commands; or prints the files.
func (f *newFlags) write(c *cobra.Command, made interface {
	Files() (scaffold.Files, error)
}, next ...string,
) error {
	files, err := made.Files()
	if err != nil {
		return flagErrors(c, err)
	}
	out := c.OutOrStdout()
	if f.dryRun {
		for i, name := range files.Paths() {
			if i > 0 {
				_, _ = io.WriteString(out, "---\n")
			}
			_, _ = fmt.Fprintf(out, "# %s\n%s", f.file(name), files[name])
		}
		return nil
	}
	changes, err := scaffold.Write(c.Context(), f.dir, files, scaffold.WriteOptions{Force: f.force})
	var failed *fs.PathError
	switch {
	case errors.As(err, &failed):
		return err
	case err != nil:
		return Refuse(err)
	}
	for _, change := range changes {
		_, _ = fmt.Fprintf(out, "%-9s  %s\n", change.State, report.Printable(f.file(change.Path)))
	}
	for _, line := range next {
		_, _ = fmt.Fprintf(out, "next       %s\n", report.Printable(line))
	}
	return nil
}

// file returns the path of a file that was written.
func (f *newFlags) file(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// flagErrors calls options by their flags.
func flagErrors(c *cobra.Command, err error) error {
	var wrong krm.OptionErrors
	if !errors.As(err, &wrong) {
		return err
	}
	errs := make([]error, len(wrong))
	for i, one := range wrong {
		name := "NAME"
		if c.Flags().Lookup(string(one.Option)) != nil {
			name = "--" + string(one.Option)
		}
		errs[i] = fmt.Errorf("%s: %s", name, strings.TrimPrefix(one.Message, "name "))
	}
	return errors.Join(errs...)
}

func newProjectCommand() *cobra.Command {
	var flags newFlags
	var options scaffold.Project
	command := &cobra.Command{
		Use: "project", Args: Arguments(0, 0),
		Short: "Write a project: a catalog, a lock, and files for make, kustomize, kpt, CI and editors",
		Long: "Write a project for plugins and sandboxes: a catalog, a lock, the project file, make targets, and\n" +
			"files for kustomize, kpt, pre-commit, GitHub and editors. Plugins belong below DIR/plugins.\n\n" +
			"With --preview, each pull request of the forge gets an environment with its own database: a script,\n" +
			"the CI that runs it, an example in DIR/deploy and its plugin.",
		Example: "  rplug new project --cluster staging\n  rplug new project --preview github",
		RunE: func(c *cobra.Command, _ []string) error {
			next := []string{"rplug new plugin NAME --dir " + filepath.Join(flags.dir, scaffold.PluginFolder)}
			if options.Preview != "" {
				next = append(next, "replace "+flags.file("deploy/shop.yaml")+", and shop in "+flags.file(scaffold.PreviewScript),
					"give the CI access to the cluster: "+scaffold.PreviewPage)
			}
			return flags.write(c, options, next...)
		},
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&options.Cluster, "cluster", scaffold.DefaultCluster, "`NAME` of the cluster of sandboxes")
	f.StringVar(&options.Preview, "preview", "", "environments for the pull requests of `FORGE`: github or gitlab")
	flags.add(command)
	forges := cobra.FixedCompletions(scaffold.Forges, cobra.ShellCompDirectiveNoFileComp)
	_ = command.RegisterFlagCompletionFunc("preview", forges)
	return command
}

func newPluginCommand() *cobra.Command {
	var flags newFlags
	var options scaffold.Plugin
	command := &cobra.Command{
		Use: "plugin NAME", Args: Arguments(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Short: "Write a plugin with a create and a delete script",
		Long: "Write a plugin with a step in each phase, whose scripts are to be completed. NAME is a bare name or\n" +
			"a kind: the plugin of PostgresDB is postgres-db. The file is DIR/NAME/plugin.yaml.",
		Example: "  rplug new plugin postgres-db --params dbname,size --outputs host,password",
		RunE: func(c *cobra.Command, args []string) error {
			options.Name = args[0]
			bare := scaffold.BareName(options.Name)
			return flags.write(c, options, "complete the scripts in "+flags.file(scaffold.PluginFile(bare)),
				"rplug new test "+bare+flags.suffix(), "rplug new sandbox NAME --plugin "+bare+flags.suffix())
		},
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&options.Version, "version", scaffold.DefaultVersion, "`VERSION` of the plugin")
	f.StringSliceVar(&options.Params, "params", nil, "`NAMES` of the params that the create script takes")
	f.StringSliceVar(&options.Outputs, "outputs", nil, "`NAMES` of what the create script publishes")
	f.StringVar(&options.Image, "image", scaffold.DefaultImage, "`IMAGE` of the steps, with a shell")
	f.StringVar(&options.Description, "description", "", "`TEXT` about what a sandbox gets")
	flags.add(command)
	return command
}

// suffix returns the flag that the next command needs to find the same folder.
func (f *newFlags) suffix() string {
	if f.dir == "." {
		return ""
	}
	return " --dir " + f.dir
}

func newSandboxCommand(features []extension.Extension) *cobra.Command {
	var flags newFlags
	var options scaffold.Sandbox
	command := &cobra.Command{
		Use: "sandbox NAME", Args: Arguments(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Short: "Write a sandbox with a resource of a plugin",
		Long: "Write a sandbox with a resource of a plugin. The plugin must be in DIR, for instance from rplug\n" +
			fmt.Sprintf("catalog pull. Required params without a value are %q, and a comment lists the others.\n"+
				"The cluster is that of the project file, else %q. The file is DIR/sandboxes/NAME.yaml.",
				scaffold.Example, scaffold.DefaultCluster),
		Example: "  rplug new sandbox feature-x --plugin postgres-db@^1 --param dbname=orders",
		RunE: func(c *cobra.Command, args []string) error {
			options.Name = args[0]
			if err := completeSandbox(&options, flags.dir, flags.force, features); err != nil {
				return err
			}
			return flags.write(c, options, "rplug build "+flags.dir)
		},
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&options.Plugin, "plugin", "", "`REFERENCE` to the plugin: NAME, NAME@VERSION or NAME@RANGE")
	f.StringVar(&options.Cluster, "cluster", "", "`NAME` of the cluster")
	f.StringVar(&options.Resource, "resource", "", "`NAME` of the resource; by default that of the plugin")
	options.Params = map[string]string{}
	f.Func("param", "`KEY=VALUE` of the resource; repeatable", func(text string) error {
		key, value, isPair := strings.Cut(text, "=")
		if !isPair {
			return fmt.Errorf("must be KEY=VALUE, not %q", text)
		}
		options.Params[key] = value
		return nil
	})
	flags.add(command)
	Register(command, "plugin", flags.completePlugins)
	return command
}

// completeSandbox fills in values from the project file and the plugin. The plugin must be in the folder unless force
// is set.
func completeSandbox(options *scaffold.Sandbox, dir string, force bool, features []extension.Extension) error {
	if options.Cluster == "" {
		found, err := cli.FindProject(".", extension.Rules(features)...)
		if err != nil {
			return err
		}
		if found != nil {
			options.Cluster = found.Cluster
		}
	}
	if options.Plugin == "" {
		return errors.New("--plugin must be set")
	}
	reference, err := document.ParsePluginReference(options.Plugin)
	if err != nil {
		return fmt.Errorf("--plugin: %w", err)
	}
	plugin := findPlugin(dir, reference)
	if plugin == nil && force {
		return nil
	}
	if plugin == nil {
		return Refuse(fmt.Errorf("--plugin: %w; --force writes the sandbox without it", missingVersion(reference, dir)))
	}
	known := document.NewParams(reference.Bare, &plugin.Spec)
	for _, message := range known.Unknown(options.Params) {
		return fmt.Errorf("--param: %s", message)
	}
	options.Params = exampleParams(plugin, options.Params)
	options.Optional = known.Without(options.Params)
	return nil
}

func newTestCommand() *cobra.Command {
	var flags newFlags
	command := &cobra.Command{
		Use: "test NAME", Args: Arguments(1, 1),
		Short: "Write a test of a plugin",
		Long: "Write a test of the plugin NAME in DIR: a case with the params that it takes, which expects that its\n" +
			"create phase publishes all outputs. The file is DIR/NAME/test.yaml.",
		Example: "  rplug new test postgres-db",
		RunE: func(c *cobra.Command, args []string) error {
			bare := scaffold.BareName(args[0])
			reference, err := document.ParsePluginReference(bare)
			if err != nil || reference.String() != reference.Bare {
				return fmt.Errorf("NAME must be the bare name of a plugin, not %q", args[0])
			}
			plugin := findPlugin(flags.dir, reference)
			if plugin == nil {
				return Refuse(missingPlugin(bare, flags.dir))
			}
			test := scaffold.Test{Plugin: bare, Params: exampleParams(plugin, nil), Outputs: outputsOf(plugin)}
			return flags.write(c, test, "rplug test "+flags.dir)
		},
		ValidArgsFunction: flags.completePlugins,
	}
	command.Flags().SortFlags = false
	flags.add(command)
	return command
}
