package status

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// leftOver returns the objects of a resource that no step needs.
func (o *Objects) leftOver(f *found, steps []Step) []LeftOver {
	isDeleted := f.phase == string(v1alpha1.PhaseDelete) && len(steps) > 0 &&
		!slices.ContainsFunc(steps, func(s Step) bool { return s.State != Ready })
	var left []LeftOver
	for _, t := range workloadsOf(slices.Concat(f.current, f.older))[len(workloadsOf(f.current)):] {
		if reason := f.whyOlder(t, isDeleted); reason != "" {
			left = append(left, leftOverOf(&t.ObjectMeta, t.Kind.Name, reason))
		}
	}
	for _, s := range f.secrets {
		if isDeleted {
			left = append(left, leftOverOf(&s.ObjectMeta, secretKind, deleted))
		}
	}
	for _, other := range f.others {
		switch {
		case isDeleted:
			left = append(left, leftOverOf(&other.ObjectMeta, other.Kind, deleted))
		case len(steps) == 0:
			left = append(left, leftOverOf(&other.ObjectMeta, other.Kind, "the resource has no workload and no Secret"))
		}
	}
	return append(left, f.terminating()...)
}

const deleted = "the resource has been deleted"

// whyOlder returns the reason why the workload of an older task is left over, or an empty string if it is not: workloads of
// the create phase stay until the resource is deleted.
func (f *found) whyOlder(t *task, isDeleted bool) string {
	why := "it is of another render"
	switch {
	case isDeleted:
		why = deleted
	case t.phase() != f.phase && f.phase == string(v1alpha1.PhaseDelete) && !t.IsActive:
		return ""
	case t.phase() != f.phase:
		why = "it is of the " + t.phase() + " phase, and the " + f.phase + " phase was applied since"
	}
	if t.IsActive {
		why += "; it has not ended"
	}
	return why
}

// terminating returns the objects that are being deleted, including the workloads of steps.
func (f *found) terminating() []LeftOver {
	var left []LeftOver
	add := func(m *metav1.ObjectMeta, kind string) {
		if m.DeletionTimestamp == nil {
			return
		}
		why := "it is being deleted"
		if len(m.Finalizers) > 0 {
			why += ", and waits for its finalizers: " + strings.Join(m.Finalizers, ", ")
		}
		left = append(left, leftOverOf(m, kind, why))
	}
	for _, t := range workloadsOf(f.current) {
		add(&t.ObjectMeta, t.Kind.Name)
	}
	for _, s := range f.secrets {
		add(&s.ObjectMeta, secretKind)
	}
	for _, other := range f.others {
		add(&other.ObjectMeta, other.Kind)
	}
	return left
}

// leftOver returns existing objects of the render's sandboxes that are not rendered. Secrets of the other phase are kept on
// purpose, so only its workloads are included.
func (r *Render) leftOver(objects *Objects) []LeftOver {
	rendered, sandboxes := map[identity]bool{}, map[string]bool{}
	for _, o := range r.objects {
		rendered[identityOf(o)] = true
		sandboxes[resourceOf(o).sandboxID+"/"+resourceOf(o).sandbox] = true
	}
	var left []LeftOver
	add := func(m *metav1.ObjectMeta, kind string) {
		if sandboxes[m.Labels[contract.SandboxIDKey]+"/"+m.Labels[contract.SandboxKey]] &&
			!rendered[identity{kind, m.Namespace, m.Name}] {
			left = append(left, leftOverOf(m, kind, "it is not in the render"))
		}
	}
	for _, t := range workloadsOf(objects.tasks()) {
		add(&t.ObjectMeta, t.Kind.Name)
	}
	for _, s := range objects.secrets {
		add(&s.ObjectMeta, secretKind)
	}
	slices.SortFunc(left, func(a, b LeftOver) int {
		return cmp.Or(cmp.Compare(a.Sandbox, b.Sandbox), cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Object, b.Object))
	})
	return left
}

func leftOverOf(m *metav1.ObjectMeta, kind, reason string) LeftOver {
	return LeftOver{
		Object: strings.ToLower(kind) + "/" + m.Name, Namespace: m.Namespace, Reason: reason,
		Sandbox: m.Labels[contract.SandboxKey], Resource: m.Labels[contract.ResourceKey],
	}
}
