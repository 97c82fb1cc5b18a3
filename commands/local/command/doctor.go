package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/resource-plugins/krm-functions/commands/kubectl"
	"github.com/resource-plugins/krm-functions/commands/local/doctor"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// doctorFlags are the flags of rplug doctor.
type doctorFlags struct {
	inputs     rplug.Inputs
	namespaces []string
	kubectl    kubectl.Kubectl
	output     rplug.Output

	style report.Style
}

func doctorCommand(stdout io.Writer, features []extension.Extension) *cobra.Command {
	file, isFile := stdout.(*os.File)
	flags := doctorFlags{
		output: rplug.Text, inputs: rplug.Inputs{Features: features, ReadsCatalogs: true},
		style: report.StyleFor(isFile && term.IsTerminal(int(file.Fd())), false, os.Getenv),
	}
	command := &cobra.Command{
		Use: "doctor [PART...]", GroupID: rplug.GroupRun, Args: cobra.ArbitraryArgs,
		Short: "Check whether this machine, the project and the cluster have what is needed",
		Long: "Check what rplug needs, each in a line with what was looked at, what was found and what to do. The\n" +
			"parts are:\n\n" +
			"  machine  engines that run scripts: namespaces with bubblewrap, docker, podman; and git\n" +
			"  project  the project file, the documents, the lock, and whether the registry has the helper\n" +
			"           image, which is asked without credentials\n" +
			"  cluster  kubectl, the cluster that it reaches, and the rights of the user in the namespaces of\n" +
			"           steps, as kubectl auth can-i says\n\n" +
			"A warning is about what only some commands need, or what cannot be known from here.\n\n" +
			"Exit code: 0 if nothing that is needed is missing, 1 if something is, 2 if the call is wrong.",
		Example: "  rplug doctor\n  rplug doctor cluster -n databases --context staging",
	}
	command.ValidArgsFunction = rplug.CompleteOne(doctor.Parts()...)
	f := command.Flags()
	f.SortFlags = false
	f.StringArrayVarP(&flags.namespaces, "namespace", "n", nil,
		"`NAME` of a namespace of steps; repeatable (default: kubectl's)")
	flags.output.Flag(command)
	flags.kubectl.Flags(command)
	flags.kubectl.Namespace(command)
	command.RunE = flags.run
	return flags.inputs.ReadProject(command)
}

func (f *doctorFlags) run(c *cobra.Command, parts []string) error {
	for _, part := range parts {
		if !slices.Contains(doctor.Parts(), part) {
			return fmt.Errorf("PART must be one of %s, not %q", strings.Join(doctor.Parts(), ", "), part)
		}
	}
	chosen := func(part string) bool { return len(parts) == 0 || slices.Contains(parts, part) }
	found := &doctor.Report{Checks: []doctor.Check{}}
	if chosen(doctor.PartMachine) {
		found.Checks = append(found.Checks, doctor.Machine(c.Context())...)
	}
	if chosen(doctor.PartProject) {
		items, err := f.inputs.Read(f.inputs.PathsFrom(nil, 0), c.InOrStdin())
		found.Checks = append(found.Checks, doctor.Project(f.inputs.Project, items, err, f.inputs.Features)...)
		found.Checks = append(found.Checks, doctor.HelperImage(c.Context(), f.inputs.Project))
	}
	if chosen(doctor.PartCluster) {
		found.Checks = append(found.Checks, doctor.Cluster(&f.kubectl, f.namespaces)...)
	}
	var err error
	if f.output == rplug.JSON {
		err = rplug.PrintJSON(c.OutOrStdout(), found)
	} else {
		_, err = io.WriteString(c.OutOrStdout(), report.WithoutCommands(found.Text(f.style)))
	}
	if err == nil && found.Missing() {
		return rplug.Refuse(errors.New("something that is needed is missing"))
	}
	return err
}
