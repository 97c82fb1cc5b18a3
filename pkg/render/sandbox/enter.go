package sandbox

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/tree"
)

// enter makes a workload known under its names.
func (c *Cluster) enter(w *Workload) {
	c.completeTemplate(w)
	w.Labels = ReadLabels(tree.Get(w.Tree, "spec", "template", "metadata", "labels"))
	for _, service := range w.Space.Services {
		if service.Selector.Matches(w.Labels) {
			w.Services = append(w.Services, service)
		}
	}
	slices.SortStableFunc(w.Services, func(a, b *BaselineService) int { return cmp.Compare(a.Name, b.Name) })
	w.Space.workloads = append(w.Space.workloads, w)
	key := v1alpha1.Workload{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name}
	c.workloads[key] = append([]*Workload{w}, c.workloads[key]...)
	if w.Namespace == "" {
		c.nameless[w.Name] = append(c.nameless[w.Name], w)
	}
	if former := formerly(w.Item); former != key {
		former.Kind = w.Kind
		c.workloads[former] = append(c.workloads[former], w)
	}
}

// completeTemplate fills in the Pod template of a Rollout that takes another workload's (Argo Rollouts, spec.workloadRef).
func (c *Cluster) completeTemplate(w *Workload) {
	reference := tree.Get(w.Tree, "spec", "workloadRef")
	if reference == nil || tree.Get(w.Tree, "spec", "template") != nil {
		return
	}
	named := v1alpha1.Workload{Kind: Deployment, Namespace: w.Namespace, Name: tree.String(reference, "name")}
	candidates := c.workloads[named]
	if len(candidates) == 0 {
		return
	}
	other := candidates[0]
	for _, key := range []string{"selector", "template"} {
		if value := tree.Get(other.Tree, "spec", key); value != nil && tree.Get(w.Tree, "spec", key) == nil {
			w.Tree = tree.Set(w.Tree, value, "spec", key)
		}
	}
	w.Tree = tree.Update(w.Tree, func(spec *yaml.Node) *yaml.Node { return tree.Without(spec, "workloadRef") }, "spec")
}
