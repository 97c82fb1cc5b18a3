package render

import (
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// Share is the part of one sandbox in a Summary.
type Share struct {
	// Workloads is the number of workloads, Resources the number of their resources, and Phases lists their phases.
	Workloads, Resources int
	Phases               []v1alpha1.Phase
	// Compiled are the phases of plugins that it uses: two sandboxes that use the same ones, and have no forks, have the same
	// shared objects, need the same namespaces, and have the same findings about plugins.
	Compiled []string
}

// shares returns the parts of the sandboxes, by their names in lower case, before anything is rendered.
func (p *plan) shares() map[string]*Share {
	shares := map[string]*Share{}
	for i := range p.tasks {
		t := &p.tasks[i]
		s := shares[t.request.Sandbox]
		if s == nil {
			s = &Share{}
			shares[t.request.Sandbox] = s
		}
		s.Compiled = appendOnce(s.Compiled,
			fmt.Sprintf("%s %s %v", document.Identity(t.plugin), t.phase.phase, t.phase.variant))
	}
	return shares
}

// count adds the workloads of an outcome.
func (s *Share) count(one outcome, isNewResource bool) {
	s.Workloads += one.workloads
	if isNewResource {
		s.Resources++
	}
	s.Phases = appendOnce(s.Phases, one.phase)
}

func appendOnce[T comparable](all []T, one T) []T {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}

// Summary returns the counts as those of a list with this sandbox only.
func (s *Share) Summary() Summary {
	all := Summary{Workloads: s.Workloads, Resources: s.Resources, Phases: s.Phases}
	if s.Workloads > 0 {
		all.Sandboxes = 1
	}
	return all
}
