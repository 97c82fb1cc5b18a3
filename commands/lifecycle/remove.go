package lifecycle

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/kubectl"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// removeFlags are the flags of rplug remove.
type removeFlags struct {
	inputs  rplug.Inputs
	cluster string
	done    bool
	state   clusterState
}

func removeCommand(features []extension.Extension) *cobra.Command {
	flags := removeFlags{inputs: rplug.Inputs{Features: features, ReadsCatalogs: true}}
	command := &cobra.Command{
		Use: "remove [NAME...] [-- PATH...]", GroupID: rplug.GroupCluster, Args: cobra.ArbitraryArgs,
		Short: "Mark sandboxes and route groups absent, and drop their documents when that is done",
		Long: "Mark sandboxes and route groups absent in their files, with their plugins pinned: the next render\n" +
			"has their delete phase. All other bytes of the files stay.\n\n" +
			"With --done, drop the documents that are absent and whose delete phase is complete in the cluster:\n" +
			"all of them, or those with a NAME. What runs the delete phase is read from --render, the output of\n" +
			"render or build; its objects are read with kubectl, or from a dump of kubectl get -o json or -o\n" +
			"yaml. A document stays if an object is missing, runs or has failed, or is not in the render.\n\n" +
			"The PATHs are files and folders with documents (default: the working folder).\n\n" +
			"Exit code: 0 if done, 1 if a document has an error, cannot be changed or is not there, 2 if the call\n" +
			"is wrong or kubectl fails, 3 if a delete phase is not complete.",
		Example: "  rplug remove feature-x\n  rplug remove feature-x -- sandboxes/ plugins/\n" +
			"  rplug build . | rplug remove --done --render -",
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&flags.cluster, "cluster", "", "`NAME` of the cluster of the documents")
	f.BoolVar(&flags.done, "done", false, "drop documents whose delete phase is complete")
	f.StringArrayVar(&flags.state.renders, "render", nil, "with --done: `PATH` of the output of render or build, - for stdin")
	f.StringArrayVarP(&flags.state.dumps, "file", "f", nil,
		"with --done: read a `DUMP` of kubectl get instead of running kubectl")
	flags.state.kubectl.Flags(command)
	command.RunE, command.ValidArgsFunction = flags.run, flags.inputs.CompleteNames(rplug.RemovableNames)
	rplug.Register(command, "cluster", flags.inputs.CompleteNames(rplug.ClusterNames))
	return flags.inputs.ReadProject(command)
}

func (f *removeFlags) run(c *cobra.Command, args []string) error {
	names, paths := args, []string(nil)
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		names, paths = args[:dash], args[dash:]
	}
	if err := f.check(c, names); err != nil {
		return err
	}
	options, err := f.inputs.Options(c.InOrStdin())
	if err != nil {
		return err
	}
	read, err := readFiles(f.inputs.PathsFrom(paths, 0), f.inputs.Catalogs, options)
	if err != nil {
		return err
	}
	if f.done {
		return f.drop(c, read, options, names)
	}
	found, missing := f.find(read, names)
	m := &marker{read: read, options: options, features: f.inputs.Features}
	var present []load.Document
	for _, d := range found {
		if isAbsent(d) {
			m.line("absent already: %s", placeOf(d))
			continue
		}
		present = append(present, d)
	}
	if missing == nil { // of several names all or none
		err = m.mark(c.Context(), present)
	}
	for _, line := range m.lines {
		rplug.Complain(c.ErrOrStderr(), c, line)
	}
	return errors.Join(err, missing, m.refused())
}

// check refuses arguments that have no meaning together.
func (f *removeFlags) check(c *cobra.Command, names []string) error {
	switch {
	case f.done:
		return f.state.check(c)
	case len(names) == 0:
		return errors.New("a NAME must be given, or --done")
	case len(f.state.renders)+len(f.state.dumps) > 0 || kubectl.Changed(c.Flags()):
		return errors.New("--render, --file, --context, --kubeconfig and --kubectl must come with --done")
	}
	return nil
}

// find returns the sandboxes and route groups with the names, or all of them without names. The error is about names that no
// document has, or several have.
func (f *removeFlags) find(read *load.Package, names []string) (found []load.Document, missing error) {
	byName := map[string][]load.Document{}
	for _, d := range read.Documents {
		cluster, isOurs := clusterOf(d)
		if !isOurs || f.cluster != "" && cluster != f.cluster {
			continue
		}
		if len(names) == 0 {
			found = append(found, d)
		}
		key := strings.ToLower(d.Item.Name())
		byName[key] = append(byName[key], d)
	}
	var wrong []error
	for _, name := range names {
		switch of := byName[strings.ToLower(name)]; len(of) {
		case 0:
			wrong = append(wrong, unknownName(name, byName))
		case 1:
			found = append(found, of[0])
		default:
			wrong = append(wrong, fmt.Errorf("%q is the name of several documents, such as %s: give --cluster or a path",
				name, placeOf(of[1])))
		}
	}
	if len(wrong) > 0 {
		return found, rplug.Refuse(errors.Join(wrong...))
	}
	return found, nil
}

// unknownName is the error for a name that no sandbox or route group has. The known ones have their documents.
func unknownName(name string, known map[string][]load.Document) error {
	names := make([]string, 0, len(known))
	for _, documents := range known {
		names = append(names, documents[0].Item.Name())
	}
	slices.Sort(names)
	hint := "they have " + strictyaml.Listed(names)
	if near, _ := strictyaml.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Errorf("no sandbox or route group of the paths is named %q: %s", name, hint)
}

// isAbsent reports whether a sandbox or route group is marked absent.
func isAbsent(d load.Document) bool {
	absent, _ := document.IsAbsent(d.Item)
	return absent
}

// clusterOf returns the cluster of a sandbox or route group, and false for other documents.
func clusterOf(d load.Document) (cluster string, isOurs bool) {
	if d.Item.APIVersion() != contract.APIVersion {
		return "", false
	}
	switch d.Item.Kind() {
	case contract.Sandbox:
		s, _ := document.ReadSandbox(d.Item)
		return s.Cluster(), true
	case contract.RouteGroup:
		g, _ := document.ReadRouteGroup(d.Item)
		return g.Spec.Cluster, true
	}
	return "", false
}
