package sandbox

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/tree"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// kustomize's records of the names and namespaces that an object had before its prefixes, suffixes and namespaces.
const (
	previousNames      = "internal.config.kubernetes.io/previousNames"
	previousNamespaces = "internal.config.kubernetes.io/previousNamespaces"
)

// formerly returns the name and namespace that an object had before kustomize changed them.
func formerly(item *krm.Item) v1alpha1.Workload {
	w := v1alpha1.Workload{Kind: item.Kind(), Namespace: item.Namespace(), Name: item.Name()}
	if names, ok := item.Annotation(previousNames); ok && names != "" {
		w.Name, _, _ = strings.Cut(names, ",")
	}
	if namespaces, ok := item.Annotation(previousNamespaces); ok && namespaces != "" && namespaces != "_non_namespaceable_" {
		if first, _, _ := strings.Cut(namespaces, ","); first != "default" || w.Namespace == "" {
			w.Namespace = first
		}
	}
	return w
}

// Find returns the workload that a sandbox names: by the name in the list or, where no other has that, by the one from
// before a kustomize prefix. The error says how to add it.
func (c *Cluster) Find(of v1alpha1.Workload) (*Workload, error) {
	key := of.Plain()
	found := c.workloads[key]
	if len(found) == 0 {
		return nil, c.missing(key)
	}
	w := found[0]
	if tree.Get(w.Tree, "spec", "template") == nil {
		if name := tree.String(w.Tree, "spec", "workloadRef", "name"); name != "" {
			return nil, fmt.Errorf("%s %q of namespace %q takes its Pods from the Deployment %q, which must be in the list: add its "+
				"manifest", w.Kind, w.Name, w.Namespace, name)
		}
		return nil, fmt.Errorf("%s %q of namespace %q must have a Pod template to be forked", w.Kind, w.Name, w.Namespace)
	}
	return w, nil
}

func (c *Cluster) missing(key v1alpha1.Workload) error {
	for _, w := range c.nameless[key.Name] {
		if w.Kind == key.Kind {
			return fmt.Errorf("%s %q of namespace %q must be in the list: the one that is there has no metadata.namespace; set it, "+
				"or set `namespace:` in the kustomization", key.Kind, key.Name, key.Namespace)
		}
	}
	apiVersion := "apps/v1"
	if key.Kind == Rollout {
		apiVersion = "argoproj.io/v1alpha1"
	}
	return fmt.Errorf("%s %q of namespace %q must be in the list: add its manifest (%s) to the files or resources, such as "+
		"what `kubectl get -n %s %s %s -o yaml` prints, with the Services in front of it",
		key.Kind, key.Name, key.Namespace, apiVersion, key.Namespace, strings.ToLower(key.Kind), key.Name)
}

// Marked returns the workloads of the namespace whose Pods have the label by which forks select theirs.
func (n *Namespace) Marked() (marked []*Workload) {
	for _, w := range n.workloads {
		if _, has := w.Labels[contract.ForkKey]; has {
			marked = append(marked, w)
		}
	}
	return marked
}
