package status

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// presumed returns Secrets as they must be if nobody has changed them since the tasks have ended. It is for callers that
// may not read Secrets.
func (f *found) presumed() []any {
	var items []any
	cleaned := slices.ContainsFunc(f.current, func(t *task) bool {
		return t.Labels[contract.HelperKey] == contract.HelperCleanup && t.end == complete
	})
	if cleaned {
		return nil
	}
	known := map[string]bool{}
	for _, t := range slices.Concat(f.current, f.older) {
		if name := t.output(); name != "" && !known[t.Namespace+"/"+name] {
			known[t.Namespace+"/"+name] = true
			items = append(items, presume(t, name, t.Namespace))
		}
	}
	for _, t := range f.current {
		for _, name := range t.inputs() {
			if !known[t.Namespace+"/"+name] { // of the create phase, whose workloads are gone
				known[t.Namespace+"/"+name] = true
				items = append(items, content("Secret", metav1.ObjectMeta{
					Name: name, Namespace: t.Namespace, Annotations: map[string]string{
						contract.GenerationKey: unnamed, contract.PublishedKey: unnamed,
					},
					Labels: presumedLabels(t, string(v1alpha1.PhaseCreate)),
				}))
			}
			if to := t.Annotations[contract.CopyToKey]; to != "" {
				items = append(items, presume(t, name, to))
			}
		}
	}
	return items
}

// presume returns the Secret that a task writes.
func presume(t *task, name, namespace string) map[string]any {
	annotations := map[string]string{contract.GenerationKey: t.generation()}
	if t.end == complete {
		annotations[contract.PublishedKey] = t.generation()
	}
	return content("Secret", metav1.ObjectMeta{
		Name: name, Namespace: namespace, Annotations: annotations, Labels: presumedLabels(t, t.phase()),
	})
}

func presumedLabels(t *task, phase string) map[string]string {
	labels := maps.Clone(t.Labels)
	labels[contract.PhaseKey] = phase
	delete(labels, contract.HelperKey)
	return labels
}
