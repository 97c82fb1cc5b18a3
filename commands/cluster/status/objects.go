package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// Objects holds rendered objects read from a cluster. Only the metadata is decoded for Secrets, and for kinds other than
// workloads, TaskRuns, Pods and Events.
type Objects struct {
	// Namespace restricts reading to one namespace; empty for all.
	Namespace string

	// objects are those of each engine. Pods are included only if no controller created them.
	objects map[engine.Engine][]*engine.Object
	pods    []*pod
	secrets []*outputSecret
	others  []*metav1.PartialObjectMetadata
	events  []*event
	// terminating are the namespaces that are being deleted.
	terminating map[string]bool
	// history has the workloads of the sandboxes that are not part of the render; nil if they were not read separately.
	history *Objects
	// kinds are the kinds of all objects that were read, rendered or not.
	kinds  map[string]bool
	newest metav1.Time
	// noSecrets means that the Secrets of the cluster are unknown.
	noSecrets bool
	// lacks are the kinds whose objects are unknown, with the reason.
	lacks []lack
}

type lack struct{ kind, why string }

// Kinds that do not belong to an engine, and Pods, which all engines create.
const (
	podKind       = jobs.Pod
	secretKind    = "Secret"
	namespaceKind = "Namespace"
	eventKind     = "Event"
)

// pod is a Pod with the workload and task that created it.
type pod struct {
	corev1.Pod
	runner runner
}

// Newest returns the newest timestamp of the rendered objects and all events: approximately when a dump was made.
func (o *Objects) Newest() metav1.Time { return o.newest }

// Lack records that the objects of a kind are unknown, and why.
func (o *Objects) Lack(kind, why string) {
	o.noSecrets = o.noSecrets || kind == secretKind
	o.lacks = append(o.lacks, lack{kind, why})
}

// unknown lists the missing information that affects a report. Pods and Events are needed only if a workload is not ready.
func (o *Objects) unknown(report *Report) []string {
	var unknown []string
	for _, l := range o.lacks {
		if l.kind != podKind && l.kind != eventKind || len(report.Unready()) > 0 {
			unknown = append(unknown, l.kind+"s "+l.why)
		}
	}
	for _, e := range engines.All() {
		for _, w := range o.objects[e] {
			if w.Unread != "" {
				unknown = append(unknown, fmt.Sprintf("the tasks of %s/%s of namespace %q: %s",
					strings.ToLower(w.Kind), w.Name, w.Namespace, w.Unread))
			}
		}
	}
	return unknown
}

// LackUnread records the kinds of which no object was read, because they were not requested. Kinds that a cluster may not
// have are recorded only if an object depends on them.
func (o *Objects) LackUnread() {
	missed := map[string]bool{secretKind: true, podKind: true}
	for _, p := range o.pods {
		if _, k := engines.Of("", p.runner.kind); k.IsCustom {
			missed[k.Name] = true
		}
	}
	for _, objects := range o.objects {
		for _, object := range objects {
			missed[object.Needs] = true
		}
	}
	for kind := range missed {
		if kind != "" && !o.kinds[kind] {
			o.Lack(kind, "are not in the dump")
		}
	}
	slices.SortFunc(o.lacks, func(a, b lack) int { return cmp.Or(cmp.Compare(b.kind, a.kind), cmp.Compare(a.why, b.why)) })
}

// Namespaces returns the namespaces of the steps that are not ready.
func (r *Report) Namespaces() (names []string) {
	for i := range r.Steps {
		if s := &r.Steps[i]; s.State != Ready && !slices.Contains(names, s.Namespace) {
			names = append(names, s.Namespace)
		}
	}
	slices.Sort(names)
	return names
}

// Workloads returns the names of the existing workloads of a kind, by namespace.
func (o *Objects) Workloads(kind string) map[string][]string {
	names := map[string][]string{}
	e, _ := engines.Of("", kind)
	for _, w := range o.objects[e] {
		if w.Kind == kind {
			names[w.Namespace] = append(names[w.Namespace], w.Name)
		}
	}
	return names
}
