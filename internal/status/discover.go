package status

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// unnamed is the name of a workload that should exist, whose name only a render knows.
const unnamed = "-"

// found is what exists of one resource of a sandbox.
type found struct {
	resource
	tasks   []*task
	secrets []*outputSecret
	others  []*metav1.PartialObjectMetadata
	// phase is the one that was applied last: that of the newest workload.
	phase string
	// current are the tasks of the phase that count, and older are all others.
	current, older []*task
}

// Judge returns the state of the sandboxes, of all if none is named, from what exists alone. What was rendered shows in it:
// a Secret has the generation that may publish there, so the tasks of earlier renders do not count. Of a step without a
// Secret the newest task counts.
func (o *Objects) Judge(sandboxes []string) *Report {
	report := &Report{}
	for _, f := range o.resources(sandboxes) {
		f.choose()
		steps := o.rules(f).steps()
		for i := range steps {
			s := &steps[i]
			s.Phase = cmp.Or(s.Phase, f.phase)
			o.admit(s)
		}
		sortSteps(steps)
		report.Steps = append(report.Steps, steps...)
		report.LeftOver = append(report.LeftOver, o.leftOver(f, steps)...)
	}
	report.Status = report.summary()
	o.explain(report)
	return report
}

// CopyTargets are the namespaces that outputs are copied to, without those of the workloads.
func (o *Objects) CopyTargets() []string {
	var targets []string
	tasks := o.tasks()
	for _, t := range tasks {
		to := t.copyTo()
		if to != "" && !slices.ContainsFunc(tasks, func(other *task) bool { return other.Namespace == to }) {
			targets = append(targets, to)
		}
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

// resources returns what exists of each resource, sorted.
func (o *Objects) resources(sandboxes []string) []*found {
	all := map[resource]*found{}
	of := func(m *metav1.ObjectMeta) *found {
		key := resource{m.Labels[contract.SandboxIDKey], m.Labels[contract.SandboxKey], m.Labels[contract.ResourceKey]}
		if !slices.Contains(sandboxes, m.Labels[contract.SandboxKey]) && len(sandboxes) > 0 {
			return &found{}
		}
		if all[key] == nil {
			all[key] = &found{resource: key}
		}
		return all[key]
	}
	for _, t := range o.tasks() {
		f := of(&t.ObjectMeta)
		f.tasks = append(f.tasks, t)
	}
	for _, s := range o.secrets {
		f := of(&s.ObjectMeta)
		f.secrets = append(f.secrets, s)
	}
	for _, s := range o.others {
		f := of(&s.ObjectMeta)
		f.others = append(f.others, s)
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *found) int {
		return cmp.Or(cmp.Compare(a.sandbox, b.sandbox), cmp.Compare(a.sandboxID, b.sandboxID), cmp.Compare(a.name, b.name))
	})
}

// choose finds the phase that was applied last, and the tasks of it that count.
func (f *found) choose() {
	slices.SortStableFunc(f.tasks, func(a, b *task) int { // the newest first
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(b.phase(), a.phase()),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind.Name, b.Kind.Name))
	})
	f.phase = string(v1alpha1.PhaseCreate)
	if len(f.tasks) > 0 {
		f.phase = f.tasks[0].phase()
	} else if slices.ContainsFunc(f.secrets, isOfDelete) {
		f.phase = string(v1alpha1.PhaseDelete)
	}
	superseded := map[identity]bool{}
	for _, t := range f.tasks {
		if f.isSuperseded(t) {
			superseded[t.identity()] = true
		}
	}
	taken := map[part]bool{}
	var whole *task // of the newest workload that runs all tasks of the phase: older ones do not count
	for _, t := range f.tasks {
		isOlder := whole != nil && whole.identity() != t.identity()
		if t.phase() != f.phase || taken[t.part()] || superseded[t.identity()] || isOlder {
			f.older = append(f.older, t)
			continue
		}
		if t.isOfEngine() {
			whole = t
		}
		taken[t.part()] = true
		f.current = append(f.current, t)
	}
}

func isOfDelete(s *outputSecret) bool { return s.phase() == string(v1alpha1.PhaseDelete) }

// isSuperseded reports whether the Secret of a step is for the outputs of another render.
func (f *found) isSuperseded(t *task) bool {
	for _, s := range f.secrets {
		if s.Name == t.output() && s.Namespace == t.Namespace {
			return s.Annotations[contract.GenerationKey] != t.generation()
		}
	}
	return false
}

// rules returns what counts: the tasks, the Secrets, and a task for each Secret that none of those publishes to.
func (o *Objects) rules(f *found) *rules {
	if o.noSecrets {
		return &rules{f.resource, f.current, f.presumed()}
	}
	r := &rules{f.resource, slices.Clone(f.current), f.secrets}
	for _, s := range f.secrets {
		if s.phase() == f.phase && !f.isPublishedBy(s) {
			r.tasks = append(r.tasks, s.publisher())
		}
	}
	return r
}

// isPublishedBy reports whether a task that counts publishes to a Secret, or any copies to it.
func (f *found) isPublishedBy(s *outputSecret) bool {
	publishes := func(t *task) bool { return t.output() == s.Name && t.Namespace == s.Namespace }
	copies := func(t *task) bool { return t.copyTo() == s.Namespace && slices.Contains(t.inputs(), s.Name) }
	return slices.ContainsFunc(f.current, publishes) || slices.ContainsFunc(f.tasks, copies)
}

// admit says what is not known of a step that is ready by its workload, or that has none.
func (o *Objects) admit(s *Step) {
	if s.of == nil && s.State == Missing {
		for _, l := range o.lacks {
			if _, k := engines.Of("", l.kind); k.PodLabel != "" {
				s.Detail = "has no Job, and " + l.kind + "s are not known"
			}
		}
	}
	if o.noSecrets && s.State == Ready && s.of != nil && (s.of.output() != "" || s.of.copyTo() != "") {
		s.Detail = "complete; whether its Secret has the outputs is not known"
	}
}

// sortSteps puts the steps of a resource into the order in which they run.
func sortSteps(steps []Step) {
	depths := depths(steps)
	slices.SortStableFunc(steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(depths[a.name()], depths[b.name()]), cmp.Compare(a.helper(), b.helper()),
			cmp.Compare(a.Step, b.Step), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Object, b.Object))
	})
}

// depths returns how many steps the longest chain in front of each step has.
func depths(steps []Step) map[string]int {
	depths := map[string]int{}
	for range steps { // no chain is longer
		changed := false
		for i := range steps {
			s := &steps[i]
			if s.of == nil {
				continue
			}
			for _, producer := range s.of.dependsOn() {
				if depth := depths[producer] + 1; depth > depths[s.name()] && producer != s.name() {
					depths[s.name()], changed = depth, true
				}
			}
		}
		if !changed {
			break
		}
	}
	return depths
}

// name is the last part of Step: the step, or the helper.
func (s *Step) name() string { return s.Step[strings.LastIndex(s.Step, "/")+1:] }

func (s *Step) helper() string {
	if s.of == nil {
		return ""
	}
	return s.of.helper()
}
