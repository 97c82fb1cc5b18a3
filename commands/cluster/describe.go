package cluster

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/cluster/status"
	"github.com/resource-plugins/krm-functions/commands/kubectl"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// described lists the resources and kinds that a sandbox can have besides those that its states depend on.
var described = []struct{ resource, kind string }{
	{"configmaps", "ConfigMap"}, // those of the sandbox as a whole
	{"serviceaccounts", "ServiceAccount"},
	{"roles.rbac.authorization.k8s.io", "Role"},
	{"rolebindings.rbac.authorization.k8s.io", "RoleBinding"},
	{"poddisruptionbudgets.policy", "PodDisruptionBudget"},
	{"deployments.apps", "Deployment"},
	{"rollouts.argoproj.io", "Rollout"},
	{"services", "Service"},
	{"httproutes.gateway.networking.k8s.io", "HTTPRoute"},
	{"virtualservices.networking.istio.io", "VirtualService"},
}

// describeCommand returns the command that shows everything that a sandbox has in a cluster.
func describeCommand(stdout io.Writer) *cobra.Command {
	flags := statusFlags{output: rplug.Text, style: report.StyleFor(isScreen(stdout), false, os.Getenv)}
	command := &cobra.Command{
		Use: "describe SANDBOX", GroupID: rplug.GroupCluster, Args: rplug.Arguments(1, 1),
		Short: "Show what a sandbox has in a cluster: steps, Secrets with their keys, objects, expiry",
		Long: "Show everything that a sandbox has in a cluster: its steps as in rplug status, the Secrets with\n" +
			"outputs and the names of their keys, all other objects, and which of them expire. Values of Secrets\n" +
			"are never read. Without --all-namespaces, only one namespace is read, and the Secrets of the\n" +
			"namespaces that outputs are copied to. What the user may not read is reported as not known.\n\n" +
			"Exit code: 0 if done, 1 if the sandbox has no object, 2 if the call is wrong or kubectl fails.",
		Example: "  rplug describe shop -n databases\n  rplug describe shop -A -o json",
	}
	f := command.Flags()
	f.SortFlags = false
	flags.in(command)
	flags.output.Flag(command)
	flags.kubectl.Flags(command)
	command.RunE = flags.describe
	command.ValidArgsFunction = rplug.OnlyFirst(flags.kubectl.Sandboxes(flags.where))
	return command
}

func (f *statusFlags) describe(c *cobra.Command, args []string) error {
	if err := f.check(c, args); err != nil {
		return err
	}
	from := source{statusFlags: f, sandboxes: []string{contract.LabelValue(args[0])}}
	judged, objects, err := from.look()
	if err != nil {
		return err
	}
	if err := from.explain(objects, judged); err != nil { // the state of the steps is known nevertheless
		rplug.Complain(c.ErrOrStderr(), c, err.Error())
	}
	found := objects.Describe(from.sandboxes[0], from.judge(objects))
	if err := from.addOthers(found); err != nil {
		return err
	}
	if len(found.Steps)+len(found.Secrets)+len(found.Objects) == 0 {
		return rplug.Refuse(fmt.Errorf("sandbox %q has no object: name its namespace with --namespace, or use --all-namespaces",
			args[0]))
	}
	if f.output == rplug.JSON {
		return rplug.PrintJSON(c.OutOrStdout(), found)
	}
	_, err = io.WriteString(c.OutOrStdout(), report.WithoutCommands(found.Text(f.now(objects), f.style)))
	return err
}

// addOthers reads the objects that states do not depend on.
func (s *source) addOthers(found *status.Description) error {
	selector := selectorOf(contract.SandboxKey, s.sandboxes)
	for _, one := range described {
		get := append([]string{"get", one.resource}, s.where()...)
		text, err := s.kubectl.Run(nil, append(get, "-l", selector, "-o", kubectl.MetadataOf(one.kind))...)
		switch {
		case kubectl.IsForbidden(err):
			found.Unknown = append(found.Unknown, one.kind+"s cannot be read: "+err.Error())
			continue
		case kubectl.IsUnknownKind(err):
			continue
		case err != nil:
			return err
		}
		if err := found.AddOthers(text); err != nil {
			return fmt.Errorf("the output of kubectl get %s %w", one.resource, err)
		}
	}
	return nil
}
