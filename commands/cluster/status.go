package cluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/resource-plugins/krm-functions/commands/cluster/status"
	"github.com/resource-plugins/krm-functions/commands/kubectl"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// statusFlags are the flags of rplug status.
type statusFlags struct {
	renders       []string
	dumps         []string
	namespace     string
	everywhere    bool
	kubectl       kubectl.Kubectl
	wait          bool
	timeout       time.Duration
	output        rplug.Output
	graph         graphFormat
	printTemplate bool

	style report.Style
}

func statusCommand(stdout io.Writer) *cobra.Command {
	flags := statusFlags{output: rplug.Text, style: report.StyleFor(isScreen(stdout), false, os.Getenv)}
	command := &cobra.Command{
		Use: "status [SANDBOX...]", GroupID: rplug.GroupCluster, Args: cobra.ArbitraryArgs,
		Short: "Report what sandboxes are doing in a cluster, why a step has failed, what is left over",
		Long: "Report what the phases of sandboxes are doing in a cluster: of those named, or of all. What exists\n" +
			"is read with kubectl, or from a dump of kubectl get jobs,pods,secrets,events -o json or -o yaml;\n" +
			"with an engine add workflows, or pipelineruns and taskruns. With --render, only the objects of a\n" +
			"render count. A step is run by a Job, or as a task of a Workflow or PipelineRun. Its state is one:\n\n" +
			"  Blocked     a delete step reads an output that was never published: run create again, or give\n" +
			"              the step up with an annotation of the sandbox's document\n" +
			"  Failed      it has failed: fix the cause, delete the Job or other object and apply the render\n" +
			"  Stale       it is complete, but its Secret has no outputs of this render: delete the object and\n" +
			"              apply the render\n" +
			"  Missing     the object does not exist: apply the render\n" +
			"  Unknown     the object does not exist, and may have been removed after its end by its TTL\n" +
			"  InProgress  it waits or runs\n" +
			"  Ready       the outputs are published; a step without outputs is complete\n\n" +
			"Below a step are its failed containers, and what its Pods and events say. The age is the time since\n" +
			"the step has ended, or else was started; in a dump, until its newest timestamp.\n\n" +
			"Values of Secrets are never read. What the user may not read is reported as not known. kubectl alone\n" +
			"shows the states of a render with:\n\n" +
			"  rplug status --print-template > status.gotemplate\n" +
			"  kubectl get -f RENDER --ignore-not-found -o go-template-file=status.gotemplate\n\n" +
			"Exit code: 0 if all steps are ready, 1 if one is blocked, failed or stale or the render is refused,\n" +
			"2 if the call is wrong or kubectl fails, 3 if steps are in progress or missing, even after\n--timeout.",
		Example: "  rplug status shop -n databases\n" +
			"  kubectl get jobs,pods,events -A -o json | rplug status -f -\n" +
			"  rplug status --render create.yaml --wait --timeout 10m",
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringArrayVarP(&flags.dumps, "file", "f", nil, "read a `DUMP` of kubectl get, - for stdin, instead of running kubectl")
	f.StringArrayVar(&flags.renders, "render", nil, "read the output of render: `PATH` of a file or folder, - for stdin")
	flags.in(command)
	f.BoolVar(&flags.wait, "wait", false, "wait until all steps are ready, or one is blocked, has failed or is stale")
	f.DurationVar(&flags.timeout, "timeout", time.Hour, "`DURATION` to wait, such as 90s or 10m")
	flags.output.Flag(command)
	f.Var(&flags.graph, "graph", "print the steps as a picture in `FORMAT`: "+strings.Join(formatNames(), ", "))
	flags.kubectl.Flags(command)
	f.BoolVar(&flags.printTemplate, "print-template", false, "print the template for kubectl, and read nothing")
	rplug.Register(command, "graph", rplug.CompleteOne(formatNames()...))
	command.RunE, command.ValidArgsFunction = flags.run, flags.kubectl.Sandboxes(flags.where)
	return command
}

// in declares the flags for the namespaces that are read.
func (f *statusFlags) in(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVarP(&f.namespace, "namespace", "n", "", "`NAME` of the namespace (default: kubectl's; with --file all)")
	flags.BoolVarP(&f.everywhere, "all-namespaces", "A", false, "all namespaces")
	f.kubectl.Namespace(command)
}

// completeSandbox completes the first argument, the sandbox, and behind it its steps.
func (f *statusFlags) completeSandbox(c *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return f.kubectl.Sandboxes(f.where)(c, args, text)
	case 1:
		return f.kubectl.Steps(f.where, args[0])
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// formatNames are the values of --graph.
func formatNames() []string {
	names := make([]string, len(diagram.Formats))
	for i, format := range diagram.Formats {
		names[i] = string(format)
	}
	return names
}

// isScreen reports whether a stream is a terminal.
func isScreen(stream io.Writer) bool {
	file, isFile := stream.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// graphFormat is the value of --graph; it implements pflag.Value.
type graphFormat diagram.Format

// String returns the format.
func (g *graphFormat) String() string { return string(*g) }

// Type names the type of the flag.
func (*graphFormat) Type() string { return "string" }

// Set implements pflag.Value.
func (g *graphFormat) Set(text string) error {
	if *g = graphFormat(text); !slices.Contains(diagram.Formats, diagram.Format(text)) {
		return fmt.Errorf("must be one of %v, not %q", diagram.Formats, text)
	}
	return nil
}

func (f *statusFlags) run(c *cobra.Command, sandboxes []string) error {
	if err := f.check(c, sandboxes); err != nil {
		return err
	}
	if f.printTemplate {
		_, err := io.WriteString(c.OutOrStdout(), status.Template)
		return err
	}
	for i, name := range sandboxes {
		sandboxes[i] = contract.LabelValue(name)
	}
	from := source{statusFlags: f, sandboxes: sandboxes}
	if len(f.renders) > 0 {
		items, err := rplug.ReadWith(f.renders, load.Options{Input: c.InOrStdin()})
		if err != nil {
			return err
		}
		if from.render, err = status.NewRender(items, sandboxes); err != nil {
			return err
		}
	}
	found, objects, err := f.find(c, &from)
	if err != nil {
		return err
	}
	if f.graph != "" {
		err = f.draw(c, found)
	} else {
		err = f.print(c.OutOrStdout(), found, objects)
	}
	if err != nil {
		return err
	}
	return f.verdict(found)
}

// find returns the report to print, and the objects that it was made from.
func (f *statusFlags) find(c *cobra.Command, from *source) (*status.Report, *status.Objects, error) {
	if len(f.dumps) > 0 {
		objects, err := from.readDumps(c.InOrStdin())
		if err != nil {
			return nil, nil, err
		}
		return from.judge(objects), objects, nil
	}
	found, objects, err := f.await(from, newProgress(c))
	if err != nil {
		return nil, nil, err
	}
	if err := from.explain(objects, found); err != nil { // the state of the steps is known nevertheless
		rplug.Complain(c.ErrOrStderr(), c, err.Error())
	}
	return from.judge(objects), objects, nil
}

// check refuses arguments that have no meaning, alone or together.
func (f *statusFlags) check(c *cobra.Command, sandboxes []string) error {
	if at := slices.IndexFunc(sandboxes, looksLikePath); at >= 0 {
		return fmt.Errorf("arguments must be names of sandboxes, not %q: a render is read with --render, a dump with --file",
			sandboxes[at])
	}
	changed := c.Flags().Changed
	runsKubectl := kubectl.Changed(c.Flags())
	hasDump, hasRender, hasNamespace := len(f.dumps) > 0, len(f.renders) > 0, f.namespace != ""
	for _, rule := range []struct {
		broken  bool
		message string
	}{
		{f.printTemplate && len(sandboxes)+c.Flags().NFlag() > 1, "--print-template must be without other arguments"},
		{f.everywhere && hasNamespace, "--all-namespaces and --namespace must not be given both"},
		{
			hasRender && (f.everywhere || hasNamespace),
			"--render must be without --namespace and --all-namespaces: its objects say where they are",
		},
		{slices.Contains(f.renders, "-") && slices.Contains(f.dumps, "-"), "--render and --file must not both be -"},
		{hasDump && f.wait, "--wait must be without --file: a dump does not change"},
		{
			hasDump && runsKubectl,
			"--context, --kubeconfig and --kubectl must be without --file, which runs no kubectl",
		},
		{f.graph != "" && changed("output"), "--graph and --output must not be given both"},
		{!f.wait && changed("timeout"), "--timeout must come with --wait"},
	} {
		if rule.broken {
			return errors.New(rule.message)
		}
	}
	return nil
}

// looksLikePath reports whether an argument is rather a file than a sandbox.
func looksLikePath(name string) bool {
	return name == "-" || filepath.Base(name) != name || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}

func (f *statusFlags) print(out io.Writer, found *status.Report, objects *status.Objects) error {
	if f.output == rplug.JSON {
		return rplug.PrintJSON(out, found)
	}
	_, err := io.WriteString(out, report.WithoutCommands(found.Text(f.now(objects), f.style)))
	return err
}

// draw prints the picture of the steps. Without steps it prints nothing, and the exit code is 3.
func (f *statusFlags) draw(c *cobra.Command, found *status.Report) error {
	if len(found.Steps) == 0 {
		return nil
	}
	pictures, err := found.Pictures()
	if err != nil {
		return err
	}
	format := diagram.Format(f.graph)
	text, err := diagram.Draw(format, pictures)
	if err != nil {
		return fmt.Errorf("draw the steps of fewer sandboxes, or as %s: %w", diagram.DOT, err)
	}
	if format == diagram.Mermaid && diagram.MermaidTooLarge(text) {
		rplug.Complain(c.ErrOrStderr(), c, fmt.Sprintf(
			"the graph is larger than what Mermaid shows by its defaults: draw it as %s or %s, or fewer sandboxes at once",
			diagram.SVG, diagram.DOT))
	}
	_, err = c.OutOrStdout().Write(text)
	return err
}

// verdict is nil if all is ready.
func (f *statusFlags) verdict(found *status.Report) error {
	switch {
	case found.Status == status.Ready:
		return nil
	case found.Status == status.Blocked:
		return rplug.Refuse(errors.New("a delete step is blocked: run create again, or give the step up"))
	case found.Status == status.Failed:
		return rplug.Refuse(errors.New("a step has failed"))
	case found.Status == status.Stale:
		return rplug.Refuse(errors.New("a step is stale: it must run again"))
	case f.wait:
		return rplug.NotReady("not all steps were ready after %s", f.timeout)
	case len(found.Steps) == 0 && len(f.dumps) == 0 && !f.everywhere:
		return rplug.NotReady("no step was found: name its namespace with --namespace, or use --all-namespaces")
	case len(found.Steps) == 0:
		return rplug.NotReady("no step was found")
	}
	return rplug.NotReady("not all steps are ready")
}
