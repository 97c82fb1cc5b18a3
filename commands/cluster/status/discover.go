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

// unnamed replaces the name of a missing workload if only a render would know it.
const unnamed = "-"

// found holds the existing objects of one resource of a sandbox.
type found struct {
	resource
	tasks   []*task
	secrets []*outputSecret
	others  []*metav1.PartialObjectMetadata
	// phase is the phase applied last: that of the newest workload.
	phase string
	// current are the tasks that determine the state of the phase; older are all other tasks.
	current, older []*task
}

// Judge returns the state of the sandboxes, or of all sandboxes if none is named, using only objects that exist. A Secret
// has the generation that may publish to it, so tasks of earlier renders are ignored. For a step without a Secret, its
// newest task is used.
func (o *Objects) Judge(sandboxes []string) *Report {
	report := &Report{}
	existing := o.existing()
	for _, f := range o.resources(sandboxes) {
		f.choose()
		rules := o.rules(f)
		steps := rules.steps()
		(&refinement{rules, existing[f.resource]}).refine(steps)
		for i := range steps {
			s := &steps[i]
			s.Phase = cmp.Or(s.Phase, f.phase)
			o.qualify(s)
		}
		sortSteps(steps)
		report.Steps = append(report.Steps, steps...)
		report.LeftOver = append(report.LeftOver, o.leftOver(f, steps)...)
	}
	report.Status = report.summary()
	o.explain(report)
	return report
}

// CopyTargets returns the namespaces that outputs are copied to, except those that have workloads.
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

// resources returns the existing objects of each resource, sorted.
func (o *Objects) resources(sandboxes []string) []*found {
	all := map[resource]*found{}
	foundFor := func(m *metav1.ObjectMeta) *found {
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
		f := foundFor(&t.ObjectMeta)
		f.tasks = append(f.tasks, t)
	}
	for _, s := range o.secrets {
		f := foundFor(&s.ObjectMeta)
		f.secrets = append(f.secrets, s)
	}
	for _, s := range o.others {
		f := foundFor(&s.ObjectMeta)
		f.others = append(f.others, s)
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *found) int {
		return cmp.Or(cmp.Compare(a.sandbox, b.sandbox), cmp.Compare(a.sandboxID, b.sandboxID), cmp.Compare(a.name, b.name))
	})
}

// choose sets the phase applied last, and divides the tasks into current and older ones.
func (f *found) choose() {
	slices.SortStableFunc(f.tasks, func(a, b *task) int { // newest first
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
	var whole *task // a task of the newest workload that runs all tasks of the phase: older workloads are ignored
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

// isSuperseded reports whether the Secret of a task is for the outputs of another render.
func (f *found) isSuperseded(t *task) bool {
	for _, s := range f.secrets {
		if t.publishesTo(s) {
			return s.Annotations[contract.GenerationKey] != t.generation()
		}
	}
	return false
}

// rules returns the current tasks, the Secrets, and a missing task for each Secret that no task publishes to.
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

// isPublishedBy reports whether a current task publishes to a Secret, or any task copies to it.
func (f *found) isPublishedBy(s *outputSecret) bool {
	publishes := func(t *task) bool { return t.publishesTo(s) }
	copies := func(t *task) bool { return t.copyTo() == s.Namespace && slices.Contains(t.inputs(), s.Name) }
	return slices.ContainsFunc(f.current, publishes) || slices.ContainsFunc(f.tasks, copies)
}

// qualify describes in the detail of a step which information is missing to determine its state.
func (o *Objects) qualify(s *Step) {
	if s.task == nil && s.State == Missing {
		for _, l := range o.lacks {
			if _, k := engines.Of("", l.kind); k.PodLabel != "" {
				s.Detail = "has no Job, and " + l.kind + "s are not known"
			}
		}
	}
	if o.noSecrets && s.State == Ready && s.task != nil && (s.task.output() != "" || s.task.copyTo() != "") {
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

// depths returns the length of the longest chain of producers of each step.
func depths(steps []Step) map[string]int {
	depths := map[string]int{}
	for range steps { // no chain is longer
		changed := false
		for i := range steps {
			s := &steps[i]
			if s.task == nil {
				continue
			}
			for _, producer := range s.task.dependsOn() {
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

// name returns the last part of Step: the name of the step or helper.
func (s *Step) name() string { return s.Step[strings.LastIndex(s.Step, "/")+1:] }

func (s *Step) helper() string {
	if s.task == nil {
		return ""
	}
	return s.task.helper()
}
