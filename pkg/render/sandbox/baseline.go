// Package baseline finds in a list what sandboxes fork: the workloads, the Services in front of them, and everything else of
// their namespaces that selects Pods. Each object is read once, however many sandboxes fork it. What was rendered by us is
// no baseline.
package sandbox

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/tree"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The kinds of workloads that can be forked. A sandbox may call a Rollout an ArgoRollout.
const (
	Deployment = "Deployment"
	Rollout    = "Rollout"
)

// Cluster is the baseline of one list.
type Cluster struct {
	workloads  map[v1alpha1.Workload][]*Workload // under their own names, then under those from before kustomize's prefixes
	namespaces map[string]*Namespace
	nameless   map[string][]*Workload // those without a namespace, by name
}

// Namespace is what selects Pods in one namespace.
type Namespace struct {
	Name     string
	Services []*BaselineService
	// Takers is everything that selects Pods, Services and workloads included.
	Takers []SelectingObject
	// Escape says how the labels of a fork's Pods differ from the baseline's, so that no taker takes them.
	Escape *Exclusion

	workloads []*Workload
}

// Workload is a Deployment or a Rollout.
type Workload struct {
	Item *krm.Item
	// Kind, Namespace and Name are those of the object in the list.
	Kind, Namespace, Name string
	// Tree is the object without aliases.
	Tree *yaml.Node
	// Labels are those of its Pods.
	Labels map[string]string
	// Space is its namespace.
	Space *Namespace
	// Services are those that select its Pods, by name.
	Services []*BaselineService
}

// Service is a Service that selects Pods.
type BaselineService struct {
	Item            *krm.Item
	Namespace, Name string
	Tree            *yaml.Node
	Selector        Selector
}

// Read takes stock of a list. An error means that a document is not YAML that can be read.
func ReadCluster(list *krm.ResourceList) (*Cluster, error) {
	c := &Cluster{
		workloads: map[v1alpha1.Workload][]*Workload{}, namespaces: map[string]*Namespace{}, nameless: map[string][]*Workload{},
	}
	var all []*Workload
	for _, source := range sources {
		items, err := list.Select(source.apiVersion, source.kinds...)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if _, ours := item.Annotation(contract.RenderedByKey); ours {
				continue
			}
			node, err := tree.Plain(item.YNode())
			if err != nil {
				return nil, fmt.Errorf("%s %q: %w", item.Kind(), item.Name(), err)
			}
			if w := c.add(item, node); w != nil {
				all = append(all, w)
			}
		}
	}
	for _, namespace := range c.namespaces {
		namespace.plan()
	}
	for _, w := range all {
		c.enter(w)
	}
	return c, nil
}

// sources are the objects that are looked at, in this order: what selects Pods in core Kubernetes, and Argo Rollouts.
var sources = []struct {
	apiVersion string
	kinds      []string
}{
	{"apps/v1", []string{Deployment, "ReplicaSet", "StatefulSet", "DaemonSet"}},
	{"argoproj.io/v1alpha1", []string{Rollout}},
	{"v1", []string{"Service", "ReplicationController"}},
	{"policy/v1", []string{PodDisruptionBudget}},
	{"networking.k8s.io/v1", []string{NetworkPolicy}},
}

// add enters an object into its namespace, and returns it where it is a workload that can be forked.
func (c *Cluster) add(item *krm.Item, node *yaml.Node) *Workload {
	space := c.namespaces[item.Namespace()]
	if space == nil {
		space = &Namespace{Name: item.Namespace()}
		c.namespaces[item.Namespace()] = space
	}
	spec := tree.Get(node, "spec")
	taker, takes := readTaker(item, spec)
	if takes {
		space.Takers = append(space.Takers, taker)
	}
	switch item.Kind() {
	case "Service":
		if takes && tree.String(spec, "type") != "ExternalName" {
			space.Services = append(space.Services, &BaselineService{item, item.Namespace(), item.Name(), node, taker.Selector})
		}
	case Deployment, Rollout:
		return &Workload{
			Item: item, Kind: item.Kind(), Namespace: item.Namespace(), Name: item.Name(), Tree: node, Space: space,
		}
	}
	return nil
}
