package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// content is the task as the template reads it: as a Job or Pod. An engine's task is a Job with its own words.
func (t *task) content() (map[string]any, error) {
	if t.isOfEngine() {
		return t.contentOfEngine(), nil
	}
	state, err := runtime.DefaultUnstructuredConverter.ToUnstructured(t.status)
	content := content(t.kind, t.ObjectMeta)
	content["status"] = state
	if t.kind == jobKind {
		content["spec"] = t.spec()
	}
	return content, err
}

func (t *task) spec() map[string]any {
	return map[string]any{
		"suspend":  t.isSuspended,
		"template": map[string]any{"metadata": map[string]any{"annotations": values(t.secrets)}},
	}
}

func (t *task) contentOfEngine() map[string]any {
	content := content(jobKind, t.ObjectMeta)
	content["spec"] = t.spec()
	content["object"], content["now"], content["failure"] = t.object(), t.now, t.failure
	conditions := []any{}
	if t.end != "" {
		conditions = append(conditions, map[string]any{"type": t.end, "status": "True"})
	}
	content["status"] = map[string]any{"conditions": conditions}
	return content
}

// rendered is an engine's task that does not exist, as the template reads it.
func (t *task) rendered() map[string]any {
	content := t.contentOfEngine()
	delete(content["metadata"].(map[string]any), "uid")
	return content
}

// content is an object that exists, as the template reads it. Hooks count: what exists has been applied. A dump may be
// without the uid, which objects that do not exist lack.
func content(kind string, m metav1.ObjectMeta) map[string]any {
	annotations := values(m.Annotations)
	for _, hook := range hooks {
		delete(annotations, hook)
	}
	return map[string]any{"kind": kind, "metadata": map[string]any{
		"name": m.Name, "namespace": m.Namespace, "uid": "-", "labels": values(m.Labels), "annotations": annotations,
	}}
}

func values(of map[string]string) map[string]any {
	all := make(map[string]any, len(of))
	for key, value := range of {
		all[key] = value
	}
	return all
}
