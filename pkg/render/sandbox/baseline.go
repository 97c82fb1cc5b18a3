package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// The kinds of workloads that can be forked. A sandbox may call a Rollout an ArgoRollout.
const (
	deployment = "Deployment"
	rollout    = "Rollout"
)

// cluster is the baseline: the workloads of a list, their Services, and all other objects that select Pods in their
// namespaces. Each object is read once, even if many sandboxes fork it.
type cluster struct {
	// namespace is the namespace of objects without one.
	namespace  string
	workloads  map[v1alpha1.Workload][]*workload // under their own names, then under those without kustomize's prefixes
	namespaces map[string]*namespace
}

// namespaceOf returns the namespace of an object of the baseline.
func (c *cluster) namespaceOf(item *krm.Item) string { return cmp.Or(item.Namespace(), c.namespace) }

// namespace is the objects that select Pods in one namespace.
type namespace struct {
	services []*service
	// selectedBy has the indexes of the services, by one label in their selector.
	selectedBy map[label][]int
	// selecting are all objects that select Pods, including Services and workloads.
	selecting []selectingObject
	policies  []selectingObject // the NetworkPolicies among them
	// exclusion changes labels so that the namespace's selectors do not select a fork's Pods.
	exclusion *exclusion

	workloads []*workload
}

// workload is a Deployment or a Rollout.
type workload struct {
	item                  *krm.Item
	kind, namespace, name string // of the object in the list
	object                object
	labels                map[string]string // of its Pods
	space                 *namespace
	services              []*frontend // the Services that select its Pods, by name
	// template returns the object that its forks copy; it must not be changed.
	template func() object
}

// service is a Service that selects Pods.
type service struct {
	namespace, name string
	selecting       selectingObject
	spec            corev1.ServiceSpec
	// template returns the object that its copies are made from; it must not be changed.
	template func() object
}

// frontend is a Service that selects a workload's Pods, with the ports that lead there.
type frontend struct {
	*service
	ports []port
}

// sources are the objects that are read, in this order: those that select Pods in core Kubernetes, and Argo Rollouts.
var sources = []struct {
	apiVersion string
	kinds      []string
}{
	{"apps/v1", []string{deployment, "ReplicaSet", "StatefulSet", "DaemonSet"}},
	{"argoproj.io/v1alpha1", []string{rollout}},
	{"v1", []string{"Service", "ReplicationController"}},
	{"policy/v1", []string{podDisruptionBudget}},
	{"networking.k8s.io/v1", []string{networkPolicy}},
}

// readCluster reads the baseline of a list. Objects without a namespace are in the given one. Rendered objects are not
// part of the baseline. The error means that a document is not readable YAML, or does not match its kind.
func readCluster(list *krm.ResourceList, namespaceOfOthers string) (*cluster, error) {
	for _, item := range list.Items() { // another kind may be meant
		if err := item.CheckIdentity(); err != nil {
			return nil, fmt.Errorf("%s %q: %w", item.Kind(), item.Name(), err)
		}
	}
	items, err := baselineItems(list)
	if err != nil {
		return nil, err
	}
	objects, errs := make([]object, len(items)), make([]error, len(items))
	krm.Each(len(items), func(i int) { objects[i], errs[i] = render.ReadObject(items[i]) })
	c := &cluster{
		namespace: namespaceOfOthers, workloads: map[v1alpha1.Workload][]*workload{}, namespaces: map[string]*namespace{},
	}
	var all []*workload
	for i, item := range items {
		if errs[i] == nil {
			all, errs[i] = c.add(all, item, objects[i])
		}
		if errs[i] != nil {
			return nil, fmt.Errorf("%s %q: %w", item.Kind(), item.Name(), errs[i])
		}
	}
	for _, namespace := range c.namespaces {
		namespace.exclude()
		namespace.indexServices()
	}
	for _, w := range all {
		c.register(w)
	}
	return c, nil
}

func baselineItems(list *krm.ResourceList) (items []*krm.Item, err error) {
	for _, source := range sources {
		found, err := list.Select(source.apiVersion, source.kinds...)
		if err != nil {
			return nil, err
		}
		for _, item := range found {
			if _, rendered := item.Annotation(contract.RenderedByKey); !rendered {
				items = append(items, item)
			}
		}
	}
	return items, nil
}

// add adds an object to its namespace, and to all if it is a workload that can be forked.
func (c *cluster) add(all []*workload, item *krm.Item, o object) ([]*workload, error) {
	in := c.namespaceOf(item)
	space := c.namespaces[in]
	if space == nil {
		space = &namespace{}
		c.namespaces[in] = space
	}
	selecting, selects := readSelecting(item, child(o, "spec"))
	if selects {
		space.selecting = append(space.selecting, selecting)
	}
	switch item.Kind() {
	case "Service":
		if !selects {
			break
		}
		var spec corev1.ServiceSpec
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(child(o, "spec"), &spec); err != nil {
			return nil, fmt.Errorf("must be a Service that the API server accepts: %w", err)
		}
		if spec.Type != corev1.ServiceTypeExternalName {
			space.services = append(space.services, &service{
				namespace: in, name: item.Name(), selecting: selecting, spec: spec,
				template: sync.OnceValue(func() object { return sanitizedService(o) }),
			})
		}
	case deployment, rollout:
		w := &workload{item: item, kind: item.Kind(), namespace: in, name: item.Name(), object: o, space: space}
		w.template = sync.OnceValue(w.sanitizedTemplate)
		all = append(all, w)
	}
	return all, nil
}

// completeTemplate adds the Pod template of a Rollout that refers to another workload's (Argo Rollouts,
// spec.workloadRef).
func (c *cluster) completeTemplate(w *workload) {
	spec := child(w.object, "spec")
	reference := child(spec, "workloadRef")
	if reference == nil || spec["template"] != nil {
		return
	}
	named := c.workloads[v1alpha1.Workload{Kind: deployment, Namespace: w.namespace, Name: text(reference, "name")}]
	if len(named) == 0 {
		return
	}
	spec = maps.Clone(spec)
	for _, key := range []string{"selector", "template"} {
		if value := child(named[0].object, "spec", key); value != nil && spec[key] == nil {
			spec[key] = value
		}
	}
	delete(spec, "workloadRef")
	w.object = maps.Clone(w.object)
	w.object["spec"] = spec
}
