package histories

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// memory is a cluster whose Jobs end when someone waits for them.
type memory struct {
	t                  *testing.T
	objects            map[string]*unstructured.Unstructured // by kind, namespace and name
	running            []string                              // the names of Jobs
	databases, deleted map[string]Database
}

// NewMemory returns a cluster without programs.
func NewMemory(t *testing.T) Cluster {
	t.Helper()
	return &memory{
		t: t, objects: map[string]*unstructured.Unstructured{}, databases: map[string]Database{}, deleted: map[string]Database{},
	}
}

// BuildArguments implements Cluster.
func (*memory) BuildArguments() []string { return nil }

// Apply implements Cluster.
func (m *memory) Apply(objects []*unstructured.Unstructured, first int, now time.Time) {
	m.t.Helper()
	for _, object := range objects[:first] {
		copied, created := object.DeepCopy(), metav1.NewTime(now)
		old := m.objects[nameOf(object)]
		if old != nil {
			created = old.GetCreationTimestamp()
		}
		copied.SetCreationTimestamp(created)
		m.objects[nameOf(object)] = copied
		if object.GetKind() == "Job" && old == nil {
			m.running = append(m.running, nameOf(object))
		}
	}
	if first == len(objects) {
		m.prune(objects)
	}
}

// prune deletes the Jobs of rendered sandboxes that their render lacks.
func (m *memory) prune(objects []*unstructured.Unstructured) {
	rendered, sandboxes := map[string]bool{}, map[string]bool{}
	for _, object := range objects {
		rendered[nameOf(object)], sandboxes[SandboxID(object)] = true, true
	}
	maps.DeleteFunc(m.objects, func(name string, object *unstructured.Unstructured) bool {
		id := SandboxID(object)
		return object.GetKind() == "Job" && id != "" && sandboxes[id] && !rendered[name]
	})
}

// Wait implements Cluster.
func (m *memory) Wait() {
	m.t.Helper()
	for _, name := range m.running {
		if job := m.objects[name]; job != nil {
			m.run(job)
		}
	}
	m.running = nil
}

// run runs a Job: it creates or deletes the database of its sandbox.
func (m *memory) run(object *unstructured.Unstructured) {
	m.t.Helper()
	var job batchv1.Job
	require.NoError(m.t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &job))
	database := Database{Plugin: job.Annotations[contract.PluginKey]}
	for _, variable := range job.Spec.Template.Spec.Containers[0].Env {
		switch variable.Name {
		case "SIZE":
			database.Size = variable.Value
		case contract.SandboxIDVariable:
			require.Equal(m.t, SandboxID(object), variable.Value)
		}
	}
	switch phase := job.Annotations[contract.PhaseKey]; phase {
	case string(v1alpha1.PhaseCreate):
		m.databases[SandboxID(object)] = database
	case string(v1alpha1.PhaseDelete):
		m.deleted[SandboxID(object)] = database
		delete(m.databases, SandboxID(object))
	default:
		require.Fail(m.t, "a Job without a phase")
	}
	job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	ended, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&job)
	require.NoError(m.t, err)
	object.Object["status"] = ended["status"]
}

func nameOf(object *unstructured.Unstructured) string {
	return object.GetKind() + "/" + object.GetNamespace() + "/" + object.GetName()
}

// Remove implements Cluster.
func (m *memory) Remove(id string) {
	maps.DeleteFunc(m.objects, func(_ string, object *unstructured.Unstructured) bool { return SandboxID(object) == id })
}

// Objects implements Cluster.
func (m *memory) Objects() (all []*unstructured.Unstructured) {
	for _, name := range slices.Sorted(maps.Keys(m.objects)) {
		all = append(all, m.objects[name])
		if object := m.objects[name]; object.GetKind() == "Job" {
			all = append(all, m.podOf(object))
		}
	}
	return all
}

// podOf returns the Pod of a Job, as its controller makes it.
func (m *memory) podOf(job *unstructured.Unstructured) *unstructured.Unstructured {
	m.t.Helper()
	content, _, err := unstructured.NestedMap(job.Object, "spec", "template")
	require.NoError(m.t, err)
	pod := &unstructured.Unstructured{Object: content}
	pod.SetAPIVersion("v1")
	pod.SetKind("Pod")
	pod.SetName(job.GetName() + "-pod")
	pod.SetNamespace(job.GetNamespace())
	pod.SetCreationTimestamp(job.GetCreationTimestamp())
	pod.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: job.GetAPIVersion(), Kind: job.GetKind(), Name: job.GetName(), UID: "1", Controller: new(true),
	}})
	return pod
}

// Databases implements Cluster.
func (m *memory) Databases() map[string]Database { return maps.Clone(m.databases) }

// Deleted implements Cluster.
func (m *memory) Deleted() map[string]Database { return m.deleted }
