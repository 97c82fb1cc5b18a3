package render

import (
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// skips reports whether the document of the sandbox gives a delete step up.
func (r *renderer) skips(s *step) bool {
	return s.ref.Phase == v1alpha1.PhaseDelete && slices.Contains(r.Skipped, s.spec.Name)
}

// runs returns the steps that are not given up.
func (r *renderer) runs(steps []*step) []*step {
	return slices.DeleteFunc(slices.Clone(steps), r.skips)
}

// skipped returns the delete steps of a resource that the sandbox gives up. Steps that read outputs of one of them must be
// given up, too.
func (p *plan) skipped(s *sandbox, resource string, compiled *compiledPhase) []string {
	names := s.skipped[resource]
	if compiled.phase != v1alpha1.PhaseDelete {
		return nil
	}
	steps := map[string]*step{}
	for ref, step := range compiled.steps {
		if ref.Phase == v1alpha1.PhaseDelete {
			steps[step.spec.Name] = step
		}
	}
	refused := func(format string, values ...any) {
		p.list.Report(krm.At(s.Item, document.SkipDeletePath(), krm.Error, fmt.Sprintf(format, values...)))
	}
	for _, name := range names {
		if steps[name] == nil {
			refused("resource %q has no delete step %q: its delete steps are %s", resource, name,
				strictyaml.Listed(stepNames(compiled.spec.Delete)))
			continue
		}
		p.list.Report(krm.At(s.Item, document.SkipDeletePath(), krm.Warning, fmt.Sprintf(
			"delete step %q of resource %q is given up: what it would delete stays", name, resource)))
	}
	for _, step := range compiled.spec.Delete {
		for _, producer := range steps[step.Name].producers {
			name := producer.spec.Name
			if producer.ref.Phase == v1alpha1.PhaseDelete && slices.Contains(names, name) && !slices.Contains(names, step.Name) {
				refused("must also have %q, which reads outputs of %q", resource+"/"+step.Name, resource+"/"+name)
			}
		}
	}
	return names
}

func stepNames(steps []v1alpha1.Step) []string {
	names := make([]string, len(steps))
	for i := range steps {
		names[i] = steps[i].Name
	}
	return names
}
