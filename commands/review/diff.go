package review

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/review/renderdiff"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// diffFlags are the flags of rplug diff.
type diffFlags struct {
	base, baseRef, live  string
	inputs               rplug.Inputs
	exclude              []string
	format, graph        string
	exitCode, showValues bool
	noCache              bool
	chain                build.Chain
	inParts              func(build.Chain, *incremental.Cache) *build.Parts
}

func diffCommand(features renderphase.Extensions) *cobra.Command {
	return newDiffFlags(features).command()
}

func newDiffFlags(features renderphase.Extensions) *diffFlags {
	return &diffFlags{
		chain: build.New(features...), inParts: build.Chain.InParts,
		inputs: rplug.Inputs{Features: features.Common(), ReadsCatalogs: true},
	}
}

func (f *diffFlags) command() *cobra.Command {
	command := &cobra.Command{
		Use: "diff [OLD [NEW]] [-- PATH...]", GroupID: rplug.GroupBuild, Args: cobra.ArbitraryArgs,
		Short: "Show which steps run again between two states, and why",
		Long: "Render two states and show how they differ: sandboxes that come and go, steps that run again and\n" +
			"why, versions that move, Secrets that change hands, forks and routes.\n\n" +
			"OLD and NEW are each a git revision, a file or folder, or - for stdin; OLD..NEW is two revisions.\n" +
			"OLD is HEAD if it is not given, and NEW the working folder. Of revisions and the working folder,\n" +
			"only the PATHs count (default: the working folder). With --base, --base-ref or --live, which name\n" +
			"the older state, all arguments are PATHs of the newer one.\n\n" +
			"What is rendered already is compared as it is, such as what kubectl get -o yaml prints.\n\n" +
			"Exit code: 0; with --exit-code 1 if something differs; 1 too if a document has an error; 2 if the\n" +
			"call is wrong.",
		Example: "  rplug diff origin/main\n  rplug diff main..feature -- sandboxes/ plugins/\n" +
			"  kubectl get jobs,secrets,configmaps -A -o yaml | rplug diff --live - .",
	}
	set := command.Flags()
	set.SortFlags = false
	set.StringVar(&f.base, "base", "", "file or folder `PATH` with the older state")
	set.StringVar(&f.baseRef, "base-ref", "", "git `REVISION` with the older state of the paths")
	set.StringVar(&f.live, "live", "", "`FILE` with the objects of a cluster, as the older state")
	set.StringVarP(&f.format, "output", "o", string(renderdiff.Text), "`FORMAT`: text, json or markdown")
	set.StringVar(&f.graph, "graph", "", "draw plugins whose steps run as `FORMAT`: mermaid, dot or svg")
	set.BoolVar(&f.exitCode, "exit-code", false, "exit with 1 if something differs")
	set.BoolVar(&f.showValues, "show-values", false, "show the values of params, which may be passwords")
	set.StringArrayVar(&f.exclude, "exclude", nil, "`PATTERN` of files to exclude from folders; repeatable")
	set.BoolVar(&f.noCache, "no-cache", false, "render sandboxes that are the same on both sides, too")
	f.renderFlags(command)
	command.RunE, command.ValidArgsFunction = f.run, completeSide
	rplug.Register(command, "output", rplug.CompleteOne(names(renderdiff.Formats)...))
	rplug.Register(command, "graph", rplug.CompleteOne(names(diagram.Formats)...))
	rplug.Register(command, "base-ref", rplug.CompleteRevisions)
	rplug.Register(command, "cluster", f.inputs.CompleteNames(rplug.ClusterNames))
	return f.inputs.ReadProject(command)
}

// renderFlags declares the flags of render and fork that change the rendered objects.
func (f *diffFlags) renderFlags(command *cobra.Command) {
	flags := command.Flags()
	phase, fork := &f.chain.Render, &f.chain.Sandbox
	flags.StringSliceVar(&phase.Phases, "phases", phase.Phases, "`A,B`; this and what follows as for render")
	flags.StringVar(&phase.Cluster, "cluster", "", "`NAME` of the cluster")
	flags.StringVar(&phase.Delivery, "delivery", phase.Delivery, "`TOOL`: kubectl, argocd, flux, helm or kpt")
	flags.StringVar(&phase.DeleteHook, "delete-hook", "", "`HOOK`: PostDelete or PreDelete")
	flags.StringVar(&phase.Engine, "engine", phase.Engine, "`ENGINE`: jobs, argo or tekton")
	flags.StringVar(&phase.Workload, "workload", phase.Workload, "`KIND`: Job or Pod")
	flags.StringVar(&phase.RunnerNamespace, "runner-namespace", "", "`NAME`")
	flags.StringToStringVar(&phase.Namespaces, "namespaces", nil, "`OLD=NEW`")
	flags.StringVar(&phase.PodSecurity, "pod-security", "", "`STANDARD`: restricted")
	flags.StringVar(&phase.HelperImage, "helper-image", phase.HelperImage, "`IMAGE`")
	flags.StringSliceVar(&phase.ImagePullSecrets, "image-pull-secrets", nil, "`A,B`")
	flags.IntVar(&phase.StepTimeoutSeconds, "step-timeout-seconds", phase.StepTimeoutSeconds, "`N`")
	flags.IntVar(&phase.StartTimeoutSeconds, "start-timeout-seconds", phase.StartTimeoutSeconds, "`N`")
	flags.IntVar(&phase.Retries, "retries", phase.Retries, "`N`")
	flags.IntVar(&phase.TTLSecondsAfterFinished, "ttl-seconds-after-finished", phase.TTLSecondsAfterFinished, "`N`")
	flags.StringVar(&phase.Install, "install", phase.Install, "`WAY`: job or objects")
	flags.BoolVar(&f.chain.NoForks, "no-forks", false, "leave out forks, whose baselines must be in the paths else")
	flags.StringVar(&fork.Routing, "routing", fork.Routing, "`WAY`: none, gateway-api or istio, as for fork")
	flags.StringVar(&fork.Gateway, "gateway", fork.Gateway, "`NAMESPACE/NAME`")
	flags.StringVar(&fork.GatewayDomain, "gateway-domain", fork.GatewayDomain, "`DOMAIN`")
	flags.IntVar(&fork.Replicas, "replicas", fork.Replicas, "`N`")
	for _, one := range rplug.BuildFunction().Flags() {
		switch {
		case flags.Lookup(one.Name) == nil || one.Values == nil:
		case one.Name == "phases":
			rplug.Register(command, one.Name, rplug.CompleteList(one.Values))
		case one.Name != "output":
			rplug.Register(command, one.Name, rplug.CompleteOne(one.Values...))
		}
	}
}

// names returns formats as texts.
func names[T ~string](formats []T) []string {
	texts := make([]string, len(formats))
	for i, format := range formats {
		texts[i] = string(format)
	}
	return texts
}

// completeSide completes a revision or a path.
func completeSide(c *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
	revisions, _ := rplug.CompleteRevisions(c, args, text)
	return revisions, cobra.ShellCompDirectiveDefault
}

func (f *diffFlags) run(c *cobra.Command, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	before, after, err := f.sources(args, c.ArgsLenAtDash())
	if err != nil {
		return err
	}
	reading, err := f.configure(c)
	if err != nil {
		return err
	}
	older, newer := f.bothSides(c.Context(), before, after, reading)
	if older.err != nil {
		return f.refused(c, before, older.err)
	}
	if newer.err != nil {
		return f.refused(c, after, newer.err)
	}
	if err := f.checkCluster(slices.Concat(older.clusters, newer.clusters)); err != nil {
		return err
	}
	differences, err := renderdiff.Compare(older.Side, newer.Side, renderdiff.Options{ShowValues: f.showValues})
	if err != nil {
		return err
	}
	if err := f.print(c.OutOrStdout(), differences); err != nil {
		return err
	}
	if older.IsEmpty() && newer.IsEmpty() {
		rplug.Complain(c.ErrOrStderr(), c, fmt.Sprintf(
			"nothing compared: %s and %s have nothing to render, and no rendered objects: check the paths", before.name, after.name))
	}
	if f.exitCode && differences.Differs() {
		return rplug.Refuse(fmt.Errorf("%s and %s differ", before.name, after.name))
	}
	return nil
}

// refused says on which side the documents have errors.
func (f *diffFlags) refused(c *cobra.Command, of diffSource, err error) error {
	var found report.FindingsError
	if errors.As(err, &found) {
		rplug.Complain(c.ErrOrStderr(), c, "nothing compared: fix the errors of "+of.name)
	}
	return err
}

func (f *diffFlags) print(out io.Writer, of *renderdiff.Report) error {
	if f.graph == "" {
		return of.Write(out, renderdiff.Format(f.format))
	}
	drawing, err := of.Draw(diagram.Format(f.graph))
	switch {
	case errors.Is(err, renderdiff.ErrNothingRuns):
		return rplug.Refuse(err)
	case err == nil:
		_, err = out.Write(drawing)
	}
	return err
}

// check refuses values and combinations of flags that have no meaning.
func (f *diffFlags) check() error {
	if !slices.Contains(renderdiff.Formats, renderdiff.Format(f.format)) {
		return fmt.Errorf("--output must be one of %q, not %q", renderdiff.Formats, f.format)
	}
	if f.graph != "" && !slices.Contains(diagram.Formats, diagram.Format(f.graph)) {
		return fmt.Errorf("--graph must be one of %q, not %q", diagram.Formats, f.graph)
	}
	given := 0
	for _, one := range []string{f.base, f.baseRef, f.live} {
		if one != "" {
			given++
		}
	}
	if given > 1 {
		return errors.New("--base, --base-ref and --live must not be given together: each names the older state")
	}
	return nil
}

// hasOlder reports whether a flag names the older state.
func (f *diffFlags) hasOlder() bool { return f.base+f.baseRef+f.live != "" }
