package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// register adds a workload under its names.
func (c *cluster) register(w *workload) {
	c.completeTemplate(w)
	w.labels = stringMap(w.object, "spec", "template", "metadata", "labels")
	for _, service := range w.space.inFrontOf(w.labels) {
		w.services = append(w.services, &frontend{service, w.ports(service)})
	}
	slices.SortStableFunc(w.services, func(a, b *frontend) int { return cmp.Compare(a.name, b.name) })
	w.space.workloads = append(w.space.workloads, w)
	key := v1alpha1.Workload{Kind: w.kind, Namespace: w.namespace, Name: w.name}
	c.workloads[key] = append([]*workload{w}, c.workloads[key]...)
	if original := originalRef(w); original != key {
		c.workloads[original] = append(c.workloads[original], w)
	}
}

// label is a key and a value.
type label struct{ key, value string }

// indexServices indexes each Service by the label in its selector that the fewest Services select, so that a workload
// is not compared with all of them.
func (n *namespace) indexServices() {
	count := map[label]int{}
	for _, s := range n.services {
		for key, value := range s.spec.Selector {
			count[label{key, value}]++
		}
	}
	n.selectedBy = map[label][]int{}
	for i, s := range n.services {
		var rarest label
		for _, key := range slices.Sorted(maps.Keys(s.spec.Selector)) {
			if l := (label{key, s.spec.Selector[key]}); rarest.key == "" || count[l] < count[rarest] {
				rarest = l
			}
		}
		n.selectedBy[rarest] = append(n.selectedBy[rarest], i)
	}
}

// inFrontOf returns the Services that select Pods with the labels, in their order.
func (n *namespace) inFrontOf(set labels.Set) (found []*service) {
	var indexes []int
	for key, value := range set {
		indexes = append(indexes, n.selectedBy[label{key, value}]...)
	}
	slices.Sort(indexes)
	for _, i := range indexes {
		if s := n.services[i]; s.selecting.selector.Matches(set) {
			found = append(found, s)
		}
	}
	return found
}

// originalRef returns the kind, namespace and name that an object had before kustomize changed them.
func originalRef(of *workload) v1alpha1.Workload {
	namespace := cmp.Or(document.PreviousNamespace(of.item), of.namespace)
	return v1alpha1.Workload{Kind: of.kind, Namespace: namespace, Name: document.Identity(of.item)}
}

// find returns the workload that a sandbox refers to: by its name in the list or, if no other workload has that name, by its
// name without a kustomize prefix. The error explains how to add it.
func (c *cluster) find(of v1alpha1.Workload) (*workload, error) {
	key := of.Plain()
	found := c.workloads[key]
	if len(found) == 0 {
		return nil, c.missing(key)
	}
	w := found[0]
	if child(w.object, "spec", "template") == nil {
		if name := text(w.object, "spec", "workloadRef", "name"); name != "" {
			return nil, fmt.Errorf("%s %q of namespace %q takes its Pods from the Deployment %q, which must be in the list: add its "+
				"manifest", w.kind, w.name, w.namespace, name)
		}
		return nil, fmt.Errorf("%s %q of namespace %q must have a Pod template to be forked", w.kind, w.name, w.namespace)
	}
	return w, nil
}

func (c *cluster) missing(key v1alpha1.Workload) error {
	found := c.workloads[v1alpha1.Workload{Kind: key.Kind, Namespace: c.namespace, Name: key.Name}]
	switch {
	case len(found) == 0 || found[0].item.Namespace() != "":
	case c.namespace == "":
		return fmt.Errorf("%s %q of namespace %q must be in the list: the one in the list has no metadata.namespace; set it, "+
			"or `namespace: %s` in the kustomization or the config (--namespace %s)",
			key.Kind, key.Name, key.Namespace, key.Namespace, key.Namespace)
	default:
		return fmt.Errorf("%s %q of namespace %q must be in the list: the one in the list has no metadata.namespace and is in "+
			"%q by the config (--namespace); set its metadata.namespace, or change forkOf.namespace",
			key.Kind, key.Name, key.Namespace, c.namespace)
	}
	apiVersion := "apps/v1"
	if key.Kind == rollout {
		apiVersion = "argoproj.io/v1alpha1"
	}
	return fmt.Errorf("%s %q of namespace %q must be in the list: add its manifest (%s) to the files or resources, such as "+
		"the output of `kubectl get -n %s %s %s -o yaml`, with the Services in front of it",
		key.Kind, key.Name, key.Namespace, apiVersion, key.Namespace, strings.ToLower(key.Kind), key.Name)
}
