package lifecycle

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// prover renders the delete phases of leaked sandboxes: from the teardown in the cluster, or from the document of a commit
// whose steps have the generations that the cluster has: equal generations are of the same sandbox.
type prover struct {
	inputs  *rplug.Inputs
	options load.Options
	chain   build.Chain
	// revision is that which was read last, with its sandboxes by their ids and all that they may need by its name.
	revision  string
	sandboxes map[string][]*krm.Item
	others    map[string][]*krm.Item
}

// renderLeaked prints the teardowns of leaked sandboxes, and names the others.
func (p *prover) renderLeaked(c *cobra.Command, left []*leftover) error {
	out := swept{has: map[string]bool{}}
	missing := 0
	for _, s := range left {
		if s.State != stateLeaked {
			rplug.Complain(c.ErrOrStderr(), c, "not rendered: "+report.Printable(s.text()))
			continue
		}
		text, err := s.teardown()
		if errors.Is(err, errNone) || errors.Is(err, errStale) {
			var unproven error
			if text, unproven = p.teardown(s); unproven != nil {
				err = fmt.Errorf("%w, and %w", err, unproven)
			} else {
				err = nil
			}
		}
		if err == nil {
			err = out.add(text)
		}
		if err != nil {
			missing++
			rplug.Complain(c.ErrOrStderr(), c, report.Printable(fmt.Sprintf("not rendered: %s: %v", s.text(), err)))
		}
	}
	if _, err := out.text.WriteTo(c.OutOrStdout()); err != nil {
		return err
	}
	if missing > 0 {
		return rplug.Refuse(fmt.Errorf("%s not rendered", report.Count(missing, "leaked sandbox")))
	}
	return nil
}

// teardown renders the delete phase of a sandbox as of the newest revision whose steps the cluster has. All steps of the
// phase in the cluster must be those of revisions.
func (p *prover) teardown(s *leftover) ([]byte, error) {
	wanted := map[v1alpha1.Phase]map[string]bool{}
	for _, one := range s.shown {
		if len(one.generations) > 0 {
			wanted[one.phase] = maps.Clone(one.generations)
		}
	}
	if len(wanted) == 0 {
		return nil, errors.New("no object in the cluster has the generation of a step, by which a commit could be known")
	}
	var newest *candidate
	var failure error
	for _, revision := range s.past.Revisions {
		found, err := p.candidate(s, revision)
		if err != nil && failure == nil {
			failure = fmt.Errorf("commit %s cannot be rendered: %w", short(revision), err)
		}
		if err != nil || found == nil {
			continue // a document that cannot be rendered proves nothing
		}
		if found.take(wanted) && newest == nil {
			newest = found
		}
		if len(wanted) == 0 {
			return newest.teardown(s)
		}
	}
	if failure != nil {
		return nil, failure
	}
	phase := slices.Min(slices.Collect(maps.Keys(wanted)))
	if newest == nil {
		return nil, fmt.Errorf("no commit has a document with the %s steps that the cluster has", phase)
	}
	return nil, fmt.Errorf("some of its %s steps in the cluster are those of no commit", phase)
}

// candidate renders the phases that identify the sandbox, as of a revision; nil unless the revision has the sandbox once.
func (p *prover) candidate(s *leftover, revision string) (*candidate, error) {
	if err := p.readRevision(revision); err != nil {
		return nil, err
	}
	if len(p.sandboxes[s.ID]) != 1 {
		return nil, nil
	}
	found := &candidate{
		revision: revision, chain: p.chain, resources: map[string]bool{},
		generations: map[v1alpha1.Phase]map[string]bool{},
	}
	found.sandbox = p.sandboxes[s.ID][0]
	sandbox, _ := document.ReadSandbox(found.sandbox)
	items := slices.Clone(p.others[""])
	seen := map[string]bool{}
	for _, resource := range sandbox.Spec.Resources {
		found.resources[contract.LabelValue(resource.Name)] = true
		if bare := bareName(resource.Plugin); !seen[bare] {
			seen[bare] = true
			items = append(items, p.others[bare]...)
		}
	}
	found.list = krm.NewList(items...)
	found.configure(p.inputs, s)
	for _, one := range s.shown {
		if err := found.addGenerations(one, s.onlyNamespace()); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readRevision reads the documents of a revision.
func (p *prover) readRevision(revision string) (err error) {
	if p.revision == revision {
		return nil
	}
	files, err := load.OpenRevision(revision, load.MaxFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	options := p.options
	options.Files, options.Label, options.KeepUnset, options.Exclude = files, revision+":", true, nil
	read, err := load.Read([]string{"."}, options)
	if err != nil {
		return err
	}
	p.revision, p.sandboxes, p.others = revision, map[string][]*krm.Item{}, map[string][]*krm.Item{}
	for _, d := range read.Documents {
		if d.Item.APIVersion() != contract.APIVersion {
			continue
		}
		switch d.Item.Kind() {
		case contract.Sandbox:
			sandbox, _ := document.ReadSandbox(d.Item)
			if id, err := sandbox.ID(); err == nil {
				p.sandboxes[id] = append(p.sandboxes[id], d.Item)
			}
		case contract.ResourcePlugin:
			bare := bareName(d.Item.Name())
			p.others[bare] = append(p.others[bare], d.Item)
		case contract.Catalog, contract.PluginLock:
			p.others[""] = append(p.others[""], d.Item)
		}
	}
	return nil
}

// bareName returns the name of a plugin without its version, or that of a reference.
func bareName(name string) string {
	bare, _, _ := strings.Cut(name, "@")
	return bare
}
