package validate

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/template"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Older is an older state of the documents under check.
type Older struct {
	// List holds the documents of then.
	List *krm.ResourceList
	// Partial tells that not every document of now could be read: then none counts as removed.
	Partial bool
	// Origins returns where the parts of a value came from, of a document of now or of then; nil knows of no value.
	Origins func(*yaml.Node) []template.Origin
}

// CheckUpdate checks what has become of an older state: what is published and what runs must not change under its users.
// An error means that a document could not be parsed.
func CheckUpdate(list *krm.ResourceList, older Older, levels Levels) (krm.Results, error) {
	if older.Origins == nil {
		older.Origins = func(*yaml.Node) []template.Origin { return nil }
	}
	before, err := newState(older.List)
	if err != nil {
		return nil, err
	}
	after, err := newState(list)
	if err != nil {
		return nil, err
	}
	u := &updateCheck{Older: older, before: before, after: after}
	u.sandboxes, u.removed = pair(before.sandboxes, after.sandboxes)
	for _, u.rule = range Rules {
		for _, run := range []func(*updateCheck){u.rule.pluginUpdates, u.rule.sandboxUpdates} {
			if run != nil {
				run(u)
			}
		}
	}
	return append(before.results(levels), after.results(levels)...).Sort(), nil
}

// updateCheck is two states under check.
type updateCheck struct {
	Older
	before, after *state
	sandboxes     []changed         // that are in both
	removed       []*updatedSandbox // that are in the older one alone
	rule          *Rule             // the rule that runs
}

// state is the documents of one time.
type state struct {
	plugins   []*updatedPlugin
	byName    map[string]*updatedPlugin // by name and version in full
	sandboxes []*updatedSandbox
}

// updatedPlugin is a plugin that has a name.
type updatedPlugin struct {
	check
	name version.Name
}

type updatedSandbox struct {
	*document.Sandbox
	check
}

func newState(list *krm.ResourceList) (*state, error) {
	plugins, err := list.Select(contract.APIVersion, contract.ResourcePlugin)
	if err != nil {
		return nil, err
	}
	sandboxes, err := list.Select(contract.APIVersion, contract.Sandbox)
	if err != nil {
		return nil, err
	}
	s := &state{byName: make(map[string]*updatedPlugin, len(plugins))}
	for _, item := range plugins {
		name, err := version.ParseName(document.Identity(item))
		if err != nil {
			continue
		}
		p := &updatedPlugin{check: check{item: item}, name: name}
		s.plugins = append(s.plugins, p)
		if s.byName[name.String()] == nil {
			s.byName[name.String()] = p
		}
	}
	for _, item := range sandboxes {
		read, problems := document.ReadSandbox(item)
		s.sandboxes = append(s.sandboxes,
			&updatedSandbox{Sandbox: read, check: check{item: item, problems: problems, doubt: newDoubt(problems)}})
	}
	return s, nil
}

// results returns what was found. What could not be decoded is told by Check, and of the older state by nobody.
func (s *state) results(levels Levels) krm.Results {
	results := make(krm.Results, 0, len(s.plugins)+len(s.sandboxes))
	for _, p := range s.plugins {
		results = append(results, p.results(levels)...)
	}
	for _, one := range s.sandboxes {
		one.problems = nil
		results = append(results, one.results(levels)...)
	}
	return results
}

// report notes that the rule that runs is broken at path of a document.
func (u *updateCheck) report(at *check, path krm.Path, format string, args ...any) {
	at.rule = u.rule
	at.report(path, format, args...)
}

// changed is a sandbox of both states.
type changed struct{ before, after *updatedSandbox }

// pair finds what has become of each sandbox. One that is gone from its cluster, while one of its name has come to
// another, has moved there.
func pair(before, after []*updatedSandbox) (both []changed, removed []*updatedSandbox) {
	type identity struct{ cluster, name string }
	here := make(map[identity]*updatedSandbox, len(after))
	for _, s := range after {
		if id := (identity{s.Spec.Cluster, s.LowerName()}); here[id] == nil {
			here[id] = s
		}
	}
	named := make(map[string][]*updatedSandbox, len(after))
	for _, s := range after {
		named[s.LowerName()] = append(named[s.LowerName()], s)
	}
	var gone []*updatedSandbox
	for _, s := range before {
		id := identity{s.Spec.Cluster, s.LowerName()}
		if now := here[id]; now != nil {
			both = append(both, changed{s, now})
			here[id] = nil
			continue
		}
		gone = append(gone, s)
	}
	for _, s := range gone {
		var moved []*updatedSandbox
		for _, now := range named[s.LowerName()] {
			if here[identity{now.Spec.Cluster, now.LowerName()}] == now {
				moved = append(moved, now)
			}
		}
		if len(moved) != 1 {
			removed = append(removed, s)
			continue
		}
		both = append(both, changed{s, moved[0]})
		here[identity{moved[0].Spec.Cluster, moved[0].LowerName()}] = nil
	}
	return both, removed
}

// absent tells whether the sandbox's delete phase is what is wanted of it (rendering, Two phases, one life).
func (s *updatedSandbox) absent() bool {
	state, _ := s.item.Annotation(contract.StateKey)
	return strings.TrimSpace(state) == "absent"
}
