package lifecycle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/kubectl"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/history"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// sweepFlags are the flags of rplug sweep.
type sweepFlags struct {
	inputs      rplug.Inputs
	chain       build.Chain
	refs        []string
	allBranches bool
	names       string
	render      bool
	state       clusterState
	output      *rplug.Output
}

func sweepCommand(features renderphase.Extensions) *cobra.Command {
	flags := sweepFlags{inputs: rplug.Inputs{Features: features.Common()}, chain: build.New(features...)}
	command := &cobra.Command{
		Use: "sweep [PATH...]", GroupID: rplug.GroupCluster, Args: cobra.ArbitraryArgs,
		Short: "Find sandboxes in a cluster that no document wants any more, and render their teardown",
		Long: "Compare the sandboxes whose objects a cluster has with the documents of the repository, of other\n" +
			"PATHs, of revisions, of all branches, and with a list of names. What the cluster has is read with\n" +
			"kubectl, or from a dump of kubectl get -o json or -o yaml. A sandbox without a document is\n\n" +
			"  leaked   the history of the repository has a document of this id, and that of the teardown in the\n" +
			"           cluster, and none of the objects is younger than the last commit about the document\n" +
			"  unknown  anything else: it may belong to another repository, cluster or branch\n\n" +
			"Secrets without outputs of a sandbox whose last document was marked absent do not count, and neither\n" +
			"does its teardown: Argo CD creates the Secrets again after it has run, and prunes neither.\n\n" +
			"With --render, print the delete phase of leaked sandboxes: the teardown that the option undo of\n" +
			"render has put into the cluster, if its digests are right, and if all of it belongs to the sandbox\n" +
			"and to its namespace; or else that of the newest commit whose steps the cluster has: its create\n" +
			"steps, and its delete steps if no create step is left or a delete phase began after them. What is\n" +
			"not proven to be the same sandbox is named, and never rendered. Users who may write ConfigMaps in\n" +
			"the cluster can change a teardown there: review what is printed. Fetch all branches first: if the\n" +
			"clone may lack some, all is unknown with --all-branches. The values of Secrets are not read.\n\n" +
			"Exit code: 0 if nothing is left over, 1 if something is, or a document has an error, 2 if the\n" +
			"call is wrong or kubectl fails; with --render 0 if all leaked sandboxes were rendered.",
		Example: "  rplug sweep --all-branches\n  kubectl get jobs,configmaps -A -o json | rplug sweep -f -\n" +
			"  rplug sweep --all-branches --render > teardown.yaml",
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringArrayVar(&flags.refs, "ref", nil, "`REVISION` of git whose documents are wanted, too; repeatable")
	f.BoolVar(&flags.allBranches, "all-branches", false, "the documents of all branches are wanted, also those of remotes")
	f.StringVar(&flags.names, "names", "", "`FILE` with names that are wanted, too, one a line; - for stdin")
	f.BoolVar(&flags.render, "render", false, "print the objects that tear leaked sandboxes down")
	f.StringArrayVarP(&flags.state.dumps, "file", "f", nil,
		"read a `DUMP` of kubectl get instead of running kubectl, - for stdin")
	flags.state.kubectl.Flags(command)
	flags.output = rplug.OutputFlag(command)
	command.RunE = flags.run
	rplug.Register(command, "ref", rplug.CompleteRevisions)
	return flags.inputs.ReadProject(command)
}

func (f *sweepFlags) check(c *cobra.Command) error {
	switch {
	case len(f.state.dumps) > 0 && kubectl.Changed(c.Flags()):
		return errors.New("--context, --kubeconfig and --kubectl must be without --file, which runs no kubectl")
	case f.names == load.Stdin && slices.Contains(f.state.dumps, load.Stdin):
		return errors.New("--names and --file must not both be -")
	case f.render && c.Flags().Changed("output"):
		return errors.New("--render and --output must not be given together: objects are printed")
	}
	return nil
}

func (f *sweepFlags) run(c *cobra.Command, args []string) error {
	if err := f.check(c); err != nil {
		return err
	}
	options, err := f.inputs.Options(c.InOrStdin())
	if err != nil {
		return err
	}
	w, err := f.wanted(c, args, options)
	if err != nil {
		return err
	}
	found, err := f.state.sandboxes(c.InOrStdin())
	if err != nil {
		return err
	}
	if len(found) == 0 {
		rplug.Complain(c.ErrOrStderr(), c,
			"nothing compared: no object of a sandbox was found: check --context, or the dump of --file")
	}
	h, err := history.Open(options, time.Now())
	if err != nil {
		return err
	}
	past, err := h.Past()
	if err := errors.Join(err, h.Close()); err != nil {
		return err
	}
	known := bySandbox(past)
	left := []*leftover{}
	for _, s := range found {
		if !w.has(s) {
			if s.judge(w, known[s.ID]); s.State != stateRemoved {
				left = append(left, s)
			}
		}
	}
	if f.render {
		p := &prover{inputs: &f.inputs, options: options, chain: f.chain}
		return p.renderLeaked(c, left)
	}
	if err := f.print(c.OutOrStdout(), left); err != nil || len(left) == 0 {
		return err
	}
	return rplug.Refuse(fmt.Errorf("%s left over", report.Count(len(left), "sandbox")))
}

// wanted are the ids of sandboxes that a cluster may have, and their names as labels have them.
type wanted struct {
	ids, names map[string]bool
	// unread is why there may be more, empty if not.
	unread string
}

func (w *wanted) has(s *leftover) bool { return w.ids[s.ID] || w.names[s.Name] }

func (w *wanted) add(read *load.Package, where string) {
	if read.Results().Failed() {
		w.unread = "documents of " + where + " cannot be read"
	}
	for _, d := range read.Documents {
		if err := ambiguous(d); err != nil {
			w.unread = placeOf(d) + ": " + err.Error()
			continue
		}
		if d.Item.APIVersion() != contract.APIVersion || d.Item.Kind() != contract.Sandbox {
			continue
		}
		s, _ := document.ReadSandbox(d.Item)
		if _, isKnown := history.ID(d); !isKnown {
			w.unread = "the id of " + placeOf(d) + " is not known"
			continue
		}
		id, _ := s.ID() // it is known
		w.ids[id] = true
	}
}

// wanted reads the names and the documents.
func (f *sweepFlags) wanted(c *cobra.Command, args []string, options load.Options) (*wanted, error) {
	w := &wanted{ids: map[string]bool{}, names: map[string]bool{}}
	if f.names != "" {
		text, err := readFile(f.names, c.InOrStdin())
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			if name := strings.ToLower(strings.TrimSpace(lines.Text())); name != "" {
				w.names[contract.LabelValue(name)] = true
			}
		}
		if err := errors.Join(err, lines.Err()); err != nil {
			return nil, err
		}
	}
	// All of the repository counts, with excluded files: a document that moved out of the paths is wanted.
	options.KeepUnset, options.Exclude = true, nil
	working, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	if top := load.TopLevel(working); top != "" {
		args = append([]string{top}, args...)
	}
	read, err := load.Read(args, options)
	if err != nil {
		return nil, err
	}
	w.add(read, "the working folder")
	refs := f.refs
	if f.allBranches {
		if w.unread, err = missingBranches(); err != nil {
			return nil, err
		}
		listing, err := load.GitOutput("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
		if err != nil {
			return nil, err
		}
		refs = append(refs, strings.Fields(listing)...)
	}
	for _, ref := range refs {
		if err := w.addRevision(ref, options); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// missingBranches returns why the clone may lack branches of the remotes, empty if it has all.
func missingBranches() (why string, err error) {
	shallow, err := load.GitOutput("rev-parse", "--is-shallow-repository")
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(shallow) != "false" {
		return "the clone is shallow, and may lack branches: fetch all with git fetch --unshallow", nil
	}
	remotes, err := load.GitOutput("remote")
	if err != nil {
		return "", err
	}
	for _, remote := range strings.Fields(remotes) {
		fetched, err := load.GitOutput("config", "--get-all", "remote."+remote+".fetch")
		if err != nil || !slices.ContainsFunc(strings.Fields(fetched), func(refs string) bool {
			return strings.HasPrefix(strings.TrimPrefix(refs, "+"), "refs/heads/*:refs/remotes/")
		}) {
			why = fmt.Sprintf("the clone does not have all branches of %s: see git remote set-branches", remote)
			return why, nil //nolint:nilerr // unset
		}
	}
	return "", nil
}

func (w *wanted) addRevision(ref string, options load.Options) (err error) {
	revision, err := load.OpenRevision(ref, load.MaxFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, revision.Close()) }()
	options.Files, options.Label, options.Exclude = revision, ref+":", nil
	read, err := load.Read([]string{"."}, options)
	if err == nil {
		w.add(read, ref)
	}
	return err
}

func (f *sweepFlags) print(out io.Writer, left []*leftover) error {
	if *f.output == rplug.JSON {
		return rplug.PrintJSON(out, left)
	}
	var text strings.Builder
	for _, s := range left {
		fmt.Fprintln(&text, report.Printable(s.text()))
	}
	_, err := io.WriteString(out, report.WithoutCommands(text.String()))
	return err
}
