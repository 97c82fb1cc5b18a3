package plugin

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// subcommand is a command of kubebuilder that the plugin implements.
type subcommand struct {
	command string
	// argument is its name in requests for flags and metadata.
	argument string
	metadata v1alpha1.Metadata
	// flags are the flags that only this plugin has: kubebuilder v4.5.1 fails if two plugins of a chain define the same
	// flag, so flags of go/v4, such as domain, are omitted.
	flags []v1alpha1.Flag
	// resource means that kubebuilder itself defines --group, --version and --kind.
	resource bool
	run      func(p *workspace, args arguments) error
}

var subcommands = []subcommand{
	{
		command: v1alpha1.CommandInit, argument: "--init", run: (*workspace).init,
		metadata: v1alpha1.Metadata{
			Description: "Make a project for resource plugins: a catalog, a lock, make targets, and files for kustomize, kpt,\n" +
				"pre-commit, GitHub and editors. In a chain, go/v4 must be in front.\n",
			Examples: "  kubebuilder init --plugins " + Key + "\n" +
				"  kubebuilder init --plugins go/v4," + Key + " --domain example.org --repo example.org/operator\n",
		},
		flags: []v1alpha1.Flag{
			text(flagCluster, scaffold.DefaultCluster, "cluster of the sandboxes"),
		},
	},
	{
		command: v1alpha1.CommandCreateAPI, argument: "--api", run: (*workspace).createAPI, resource: true,
		metadata: v1alpha1.Metadata{
			Description: "Make a resource plugin with create and delete scripts, a test, and an example of a sandbox.\n" +
				"The plugin of the kind PostgresDB is postgres-db, and v1 is 1.0.0. Behind go/v4, the controller renders it.\n",
			Examples: "  kubebuilder create api --group demo --version v1 --kind PostgresDB \\\n" +
				"    --params dbname,size --outputs host,password\n",
		},
		flags: []v1alpha1.Flag{
			text(flagParams, "", "names of the params that the create script takes, separated by commas"),
			text(flagOutputs, "", "names of what the create script publishes, separated by commas"),
			text(flagImage, scaffold.DefaultImage, "image of the steps, with a shell"),
			text(flagDescription, scaffold.DefaultDescription, "what a sandbox gets"),
		},
	},
	{
		command: v1alpha1.CommandCreateWebhook, argument: "--webhook", run: (*workspace).createWebhook, resource: true,
		metadata: v1alpha1.Metadata{
			Description: "Make policies of the API server (ValidatingAdmissionPolicy) for a resource plugin: what CEL can\n" +
				"express of the rules about sandboxes that use it, and about its Jobs.\n",
			Examples: "  kubebuilder create webhook --group demo --version v1 --kind PostgresDB\n",
		},
	},
	{
		command: v1alpha1.CommandEdit, argument: "--edit", run: (*workspace).edit,
		metadata: v1alpha1.Metadata{
			Description: "Begin a new version of a resource plugin. The published one is kept beside it, since what was\n" +
				"created with it is removed with it.\n",
			Examples: "  kubebuilder edit --plugin postgres-db --to 1.1.0\n",
		},
		flags: []v1alpha1.Flag{
			text(flagPlugin, "", "name or kind of the resource plugin"),
			text(flagTo, "", "the new version, such as 1.1.0"),
		},
	},
	{
		command: v1alpha1.CommandDelete, argument: "--delete", run: (*workspace).delete, resource: true,
		metadata: v1alpha1.Metadata{
			Description: "Remove a resource plugin that no sandbox uses. Published versions are kept.\n",
			Examples:    "  kubebuilder delete --kind PostgresDB\n",
		},
	},
}

// Names of flags.
const (
	flagCluster     = "cluster"
	flagParams      = "params"
	flagOutputs     = "outputs"
	flagImage       = "runner-image"
	flagDescription = "description"
	flagPlugin      = "plugin"
	flagTo          = "to"
	flagKind        = "kind"
	flagVersion     = "version"
	flagGroup       = "group"
)

// text returns a flag with a string value.
func text(name, fallback, usage string) v1alpha1.Flag {
	return v1alpha1.Flag{Name: name, Type: "string", Default: fallback, Usage: usage}
}

func find(command string) *subcommand {
	i := slices.IndexFunc(subcommands, func(s subcommand) bool { return s.command == command })
	if i < 0 {
		return nil
	}
	return &subcommands[i]
}

func commandNames() []string {
	names := make([]string, 0, 2+len(subcommands))
	names = append(names, v1alpha1.CommandFlags, v1alpha1.CommandMetadata)
	for _, s := range subcommands {
		names = append(names, s.command)
	}
	return names
}

// Flags of kubebuilder and its built-in plugins, v4.5.1 and v4.15.0: flags with a value, and switches. They are among the
// arguments, but are ignored.
var (
	foreignValues = []string{
		"controller-name", "defaulting-path", "domain", "external-api-domain", "external-api-module", "external-api-path",
		"license", "license-file", "owner", "plural", "project-name", "project-version", "repo", "spoke", "validation-path",
	}
	foreignSwitches = []string{
		"component-config", "controller", "conversion", "defaulting", "fetch-deps", "force", "help", "legacy", "make",
		"multigroup", "namespaced", "programmatic-validation", "resource", "skip-go-version-check", "verbose",
	}
)

// arguments are the values of flags by their names.
type arguments map[string]string

// parse reads the arguments of a request. All plugins of a chain get the same arguments, and the design of external plugins
// says that an unrecognized flag is no error, so unknown flags are returned.
func (s *subcommand) parse(request v1alpha1.Request) (args arguments, unknown []string, err error) {
	set := pflag.NewFlagSet(s.command, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	for _, flag := range s.flags {
		set.String(flag.Name, flag.Default, flag.Usage)
	}
	if s.resource {
		for _, name := range []string{flagGroup, flagVersion, flagKind} {
			set.String(name, "", "")
		}
	}
	for _, name := range foreignValues {
		set.String(name, "", "")
	}
	for _, name := range foreignSwitches {
		set.Bool(name, false, "")
	}
	set.ParseErrorsAllowlist.UnknownFlags = true // those of other plugins in the chain
	if err := set.Parse(request.Args); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.command, err)
	}
	if extra := set.Args(); len(extra) > 0 {
		return nil, nil, fmt.Errorf("%s: arguments must be flags, not %q", s.command, extra[0])
	}
	args = arguments{}
	set.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(foreignValues, flag.Name) && !slices.Contains(foreignSwitches, flag.Name) {
			args[flag.Name] = flag.Value.String()
		}
	})
	return args, unknownFlags(set, request.Args), nil
}

// unknownFlags returns the flags among arguments that a set does not define.
func unknownFlags(set *pflag.FlagSet, args []string) (unknown []string) {
	for _, arg := range args {
		flag, isFlag := strings.CutPrefix(arg, "--")
		if name, _, _ := strings.Cut(flag, "="); isFlag && name != "" && set.Lookup(name) == nil {
			unknown = append(unknown, "--"+name)
		}
	}
	return unknown
}

// list splits the value of a flag.
func (a arguments) list(flag string) []string {
	if a[flag] == "" {
		return nil
	}
	return strings.Split(a[flag], ",")
}

// required returns an error for each missing flag.
func (a arguments) required(flags ...string) error {
	var errs []error
	for _, flag := range flags {
		if a[flag] == "" {
			errs = append(errs, fmt.Errorf("--%s must be set", flag))
		}
	}
	return errors.Join(errs...)
}
