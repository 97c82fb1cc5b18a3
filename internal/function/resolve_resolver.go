package function

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// resolver pins the references of a list's sandboxes.
type resolver struct {
	*resolveConfig
	call     cli.Call
	list     *krm.ResourceList
	plugins  *resolve.Catalog
	subjects []*resolveSubject
	frozen   map[string]string // the sandbox on its way out, by what it asks for
	named    map[string]bool   // which names of update were met

	resolved int
	chosen   map[string]bool         // the pins of what was chosen
	answers  map[string][]resolution // by what was asked
	failures map[string][]failure    // by message
	ledger   ledger
}

// resolution is what one reference was resolved to.
type resolution struct {
	*ask
	choice *resolve.Choice
}

func newResolver(call cli.Call, plugins *resolve.Catalog, c *resolveConfig, subjects []*resolveSubject) *resolver {
	r := &resolver{
		resolveConfig: c, call: call, list: call.List, plugins: plugins, subjects: subjects,
		frozen: map[string]string{}, named: map[string]bool{}, chosen: map[string]bool{},
		answers: map[string][]resolution{}, failures: map[string][]failure{},
	}
	for _, s := range subjects {
		for _, a := range s.asks {
			if name, ok := r.frozen[a.asked]; s.absent && (!ok || s.name < name) {
				r.frozen[a.asked] = s.name
			}
			r.meet(a)
		}
	}
	for i, name := range c.Update {
		if !r.named[name] {
			call.ConfigError(krm.Path("update").Index(i), fmt.Sprintf(
				"must be a plugin, or a reference, that a sandbox asks for, not %q", name))
		}
	}
	return r
}

// meet notes which names of the config's update a reference answers to.
func (r *resolver) meet(a *ask) {
	for _, name := range r.Update {
		if name == a.asked || name == bare(a.asked) {
			r.named[name] = true
		}
	}
}

func bare(reference string) string {
	name, _, _ := strings.Cut(reference, "@")
	return name
}

// resolve resolves all references, then moves the lock where nothing failed.
func (r *resolver) resolve() {
	for _, s := range r.subjects {
		r.list.Report(s.problems...)
		if s.unread != nil {
			r.fail(&ask{resolveSubject: s}, s.unread)
			continue
		}
		for _, a := range s.asks {
			s.record[a.resource] = r.pin(a)
		}
		s.record.Write(s.item)
	}
	r.reportFailures()
	r.reportFloats()
	if r.Mode != locked && len(r.failures) == 0 && r.plugins.Locks().Sound() {
		r.writeLock()
	}
}

// pin pins one reference and returns what to put on record. Where it cannot be pinned what is on record stays.
func (r *resolver) pin(a *ask) resolve.Resolution {
	r.dropStale(a)
	choice, err := r.decide(a)
	if err == nil {
		err = choice.Confirm(a.last)
	}
	if err != nil {
		r.fail(a, err)
		return a.last
	}
	now := resolve.Resolution{Requested: a.last.Requested, Pin: choice.Name.String(), Digest: choice.Digest}
	if now.Pin != a.text {
		if err := a.item.Set(a.path, now.Pin); err != nil {
			r.fail(a, fmt.Errorf("reference must be pinned to %q by hand: %w", now.Pin, err))
			return a.last
		}
		now.Requested = a.asked
	}
	r.resolved++
	r.chosen[now.Pin] = true
	r.answers[a.asked] = append(r.answers[a.asked], resolution{a, choice})
	r.tell(a, choice)
	return now
}

// decide returns the version that a reference means now.
func (r *resolver) decide(a *ask) (*resolve.Choice, error) {
	_, _, isLocked := r.plugins.Locks().Get(a.asked)
	switch {
	case r.moves(a.asked):
		return r.plugins.ChooseFresh(a.asked)
	case a.pinned() && (a.absent || !isLocked && r.Mode != locked):
		return r.plugins.ChooseFresh(a.text)
	case r.Mode == locked:
		return r.decideLocked(a, isLocked)
	}
	choice, err := r.plugins.Choose(a.asked)
	if err == nil && a.absent {
		err = choice.Settled(a.asked)
	}
	return choice, err
}

// decideLocked refuses whatever the lock would have to change for.
func (r *resolver) decideLocked(a *ask, isLocked bool) (*resolve.Choice, error) {
	choice, err := r.plugins.Choose(a.asked)
	if a.pinned() && !isLocked {
		choice, err = r.plugins.ChooseFresh(a.text)
	}
	switch {
	case err != nil:
		return nil, err
	case !isLocked:
		return nil, &resolve.ReferenceError{Message: fmt.Sprintf("%q must be in the lock: run mode update, or add %s",
			a.asked, resolve.LockLine(choice.Entry(a.asked)))}
	case a.pinned() && choice.Name.String() != a.text:
		return nil, &resolve.ReferenceError{
			Message: fmt.Sprintf("must be what %q is locked to (%s), not %q: run mode keep to take it over",
				a.asked, choice.Name, a.text),
			Proposed: choice.Name.String(),
		}
	}
	return choice, nil
}

// moves tells whether a reference is to be resolved anew. What a sandbox on its way out asks for never is: its delete
// phase has to run the version that created its resources.
func (r *resolver) moves(asked string) bool {
	if _, frozen := r.frozen[asked]; frozen || r.Mode != update {
		return false
	}
	return len(r.Update) == 0 || slices.Contains(r.Update, asked) || slices.Contains(r.Update, bare(asked))
}

func (r *resolver) summary() string {
	return fmt.Sprintf("resolved %s of %s to %s%s", cli.Count(r.resolved, "reference"),
		cli.Count(len(r.subjects), "sandbox"), cli.Count(len(r.chosen), "plugin version"), r.ledger)
}
