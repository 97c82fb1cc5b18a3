package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// use is a variable of a fork that takes an output of a resource, or all outputs as files.
type use struct {
	number int      // in the order of the forks
	at     krm.Path // of its source
	forkOf v1alpha1.Workload
	from   *v1alpha1.ResourceOutput // nil for files of all resources
}

// movedWorkloads returns the objects whose namespace or name kustomize has changed, keyed by the former ones: forks are
// in the namespace of their baseline, and so are the outputs that they use.
func movedWorkloads(list *krm.ResourceList) map[v1alpha1.Workload]v1alpha1.Workload {
	moved := map[v1alpha1.Workload]v1alpha1.Workload{}
	for _, item := range list.Items() {
		now := v1alpha1.Workload{Kind: item.Kind(), Namespace: item.Namespace(), Name: item.Name()}
		before := now
		before.Namespace, before.Name = cmp.Or(document.PreviousNamespace(item), now.Namespace), document.Identity(item)
		if before != now {
			moved[before] = now
		}
	}
	for _, item := range list.Items() {
		if len(moved) > 0 { // an object that has the name now is meant
			delete(moved, v1alpha1.Workload{Kind: item.Kind(), Namespace: item.Namespace(), Name: item.Name()})
		}
	}
	return moved
}

// actual returns the baseline of a fork with the namespace and name that it has in the list.
func (p *plan) actual(of v1alpha1.Workload) v1alpha1.Workload {
	return cmp.Or(p.moved[of.Plain()], of)
}

// uses are the variables of forks that take outputs. Uses by local workloads do not concern the cluster.
func (s *sandbox) uses() (all []use) {
	for i, fork := range s.Spec.Forks {
		if fork.Customizations == nil {
			continue
		}
		for n, env := range fork.Customizations.Env {
			at := krm.Path("spec.forks").Index(i).Key("customizations").Key("env").Index(n)
			switch {
			case document.IsBindingRoot(&env):
				all = append(all, use{len(all), at, fork.ForkOf, nil})
			case env.ValueFrom != nil && env.ValueFrom.Resource != nil && env.Operation != "delete":
				all = append(all, use{len(all), at.Key("valueFrom").Key("resource"), fork.ForkOf, env.ValueFrom.Resource})
			}
		}
	}
	return all
}

// usesOf returns the uses of a resource in their order: of its outputs, and of the files of all resources.
func (s *sandbox) usesOf(resource string) []use {
	if s.used == nil {
		s.used = map[string][]use{}
		for _, u := range s.uses() {
			if u.from == nil {
				s.usedFiles = append(s.usedFiles, u)
			} else {
				s.used[u.from.Name] = append(s.used[u.from.Name], u)
			}
		}
	}
	all := slices.Concat(s.used[resource], s.usedFiles)
	slices.SortFunc(all, func(a, b use) int { return cmp.Compare(a.number, b.number) })
	return all
}

// strayUses reports the uses of resources that the sandbox does not have.
func (s *sandbox) strayUses() (results []krm.Result) {
	names := make(map[string]bool, len(s.Spec.Resources))
	for _, r := range s.Spec.Resources {
		names[r.Name] = true
	}
	for _, u := range s.uses() {
		if u.from != nil && !names[u.from.Name] {
			results = append(results, krm.At(s.Item, u.at.Key("name"), krm.Error,
				fmt.Sprintf("must be a resource of this sandbox, not %q", u.from.Name)+moreFindings))
		}
	}
	return results
}

// copies are the outputs of a resource that forks use, by the namespace of the forks. A use that cannot be satisfied is
// an error in the create phase; it must not keep the delete phase from running.
func (p *plan) copies(s *sandbox, resource string, phase *compiledPhase) map[string][]v1alpha1.StepOutput {
	copies := map[string][]v1alpha1.StepOutput{}
	refuse := func(at krm.Path, format string, arg any) {
		if phase.phase == v1alpha1.PhaseCreate {
			p.list.Report(krm.At(s.Item, at, krm.Error, fmt.Sprintf(format, arg)+moreFindings))
		}
	}
	var index *document.OutputIndex
	for _, u := range s.usesOf(resource) {
		if index == nil {
			index = document.NewOutputIndex(phase.spec)
		}
		namespace := p.actual(u.forkOf).Namespace
		outputs := document.BoundOutputs(phase.spec)
		if u.from != nil {
			outputs = index.Of(u.from.OutputKey)
		}
		switch {
		case len(outputs) == 0 && u.from == nil:
		case len(outputs) == 0:
			refuse(u.at.Key("outputKey"), "must be <step>.<output>, an output of a create step of the resource's plugin, not %q",
				u.from.OutputKey)
		case len(outputs) > 1 && u.from != nil:
			refuse(u.at.Key("outputKey"), "%s", document.NamesNoStep(u.from.OutputKey, outputs))
		case namespace == "" || document.CheckLabel(namespace) != "":
			refuse(u.at, "must be of a fork whose namespace is valid, not %q: outputs are copied there", namespace)
		default:
			copies[namespace] = append(copies[namespace], outputs...)
		}
	}
	if phase.beforeForks {
		for namespace := range p.forks(s) {
			for _, step := range lastSteps(phase.spec) {
				copies[namespace] = append(copies[namespace], v1alpha1.StepOutput{Name: step})
			}
		}
	}
	return copies
}

// lastSteps returns the names of the create steps that no other one reads: when they have ended, all have.
func lastSteps(spec *v1alpha1.ResourcePluginSpec) (names []string) {
	isRead := map[string]bool{}
	for i := range spec.Create {
		for _, input := range spec.Create[i].Inputs {
			if input.ValueFromStep != nil {
				isRead[input.ValueFromStep.Name] = true
			}
		}
	}
	for i := range spec.Create {
		if name := spec.Create[i].Name; !isRead[name] {
			names = append(names, name)
		}
	}
	return names
}
