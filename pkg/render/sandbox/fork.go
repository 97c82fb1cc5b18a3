// Package fork copies a baseline's workload, and the Services in front of it, for one sandbox. The copy runs beside the
// baseline without touching it: it has a name and labels of its own, nothing that selects the baseline's Pods selects its
// Pods, and nothing of it selects the baseline's. What ties the baseline to a tool, a release or a load balancer is left
// behind. Comments and the order of fields stay.
package sandbox

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/tree"
)

// Owner is the sandbox that forks are for.
type Owner struct {
	// Sandbox is the sandbox's name, lower-cased; SandboxID keeps its names apart from those of all others.
	Sandbox, SandboxID string
	// RoutingKey is told to the fork's Pods.
	RoutingKey string
	// RenderedBy is the value of the annotation contract.RenderedByKey.
	RenderedBy string
	// TTL is how long the copies live, for kube-janitor; empty is for ever.
	TTL string
	// Replicas is how many Pods a fork has.
	Replicas int
}

// Fork is a copy in the making: Start, then what the sandbox customizes on Tree, then Seal.
type Fork struct {
	Owner    *Owner
	Baseline *Workload
	// Name is the copy's.
	Name string
	// Tree is the copy.
	Tree *yaml.Node
	// Services are the copies of the Services in front of the baseline, each under its own name.
	Services []ForkService
}

// Service is the copy of a Service.
type ForkService struct {
	Baseline *BaselineService
	Name     string
	Tree     *yaml.Node
}

// Start copies a workload that a sandbox forks under the name of.
func StartFork(owner *Owner, of v1alpha1.Workload, w *Workload) *Fork {
	kind := w.Kind // of.Kind may be the other name of a Rollout
	f := &Fork{
		Owner: owner, Baseline: w,
		Name: contract.ObjectName(contract.Hash("fork", owner.SandboxID, kind, of.Namespace, of.Name), w.Name, owner.Sandbox),
		Tree: stencil(w),
	}
	f.Tree = tree.Set(f.Tree, tree.Int(owner.Replicas), "spec", "replicas")
	f.Tree = introduce(f.Tree, owner)
	for _, service := range w.Services {
		name := contract.ObjectName(contract.Hash("fork-service", owner.SandboxID, kind, of.Namespace, of.Name, service.Name),
			service.Name, owner.Sandbox)
		f.Services = append(f.Services, ForkService{Baseline: service, Name: name})
	}
	return f
}

// Host returns the name under which the cluster's DNS knows the copy of a Service.
func (s *ForkService) Host() string { return s.Name + "." + s.Baseline.Namespace + ".svc" }

// Labels returns those of the copy's Pods, once it is sealed.
func (f *Fork) Labels() map[string]string {
	return ReadLabels(tree.Get(f.Tree, "spec", "template", "metadata", "labels"))
}

// Seal gives the copy what makes it a fork, whatever was customized before: its name, selectors, labels and annotations. An
// error tells what a customization must not have removed.
func (f *Fork) Seal() error {
	for _, key := range []string{"apiVersion", "kind"} {
		if tree.String(f.Tree, key) != tree.String(f.Baseline.Tree, key) {
			return fmt.Errorf("must not change %s, which is %q", key, tree.String(f.Baseline.Tree, key))
		}
	}
	if len(tree.List(f.Tree, "spec", "template", "spec", "containers")) == 0 {
		return errors.New("must leave at least one container in spec.template.spec.containers")
	}
	f.Tree = f.identify(f.Tree, f.Name, f.Baseline.Kind+"/"+f.Baseline.Name)
	f.Tree = tree.Set(f.Tree, f.selector(), "spec", "selector")
	f.Tree = tree.Update(f.Tree, f.relabel, "spec", "template", "metadata", "labels")
	f.Tree = tree.Update(f.Tree, f.spread, "spec", "template", "spec")
	for i := range f.Services {
		s := &f.Services[i]
		s.Tree = f.identify(copyService(s.Baseline.Tree), s.Name, "Service/"+s.Baseline.Name)
		s.Tree = tree.Set(s.Tree, tree.Map(tree.Field{Key: contract.ForkKey, Value: tree.Text(f.Name)}), "spec", "selector")
	}
	return nil
}

// identify gives an object its name, labels and annotations.
func (f *Fork) identify(object *yaml.Node, name, of string) *yaml.Node {
	object = tree.Update(object, func(metadata *yaml.Node) *yaml.Node {
		metadata = tree.With(metadata, "name", tree.Text(name))
		return tree.With(metadata, "namespace", tree.Text(f.Baseline.Namespace))
	}, "metadata")
	object = tree.Update(object, f.relabel, "metadata", "labels")
	return tree.Update(object, func(annotations *yaml.Node) *yaml.Node {
		annotations = tree.Only(annotations, func(key string) bool { return !isIdentity(key) })
		if f.Owner.TTL != "" {
			annotations = tree.With(annotations, JanitorKey, tree.Text(f.Owner.TTL))
		}
		for _, fact := range [][2]string{
			{contract.BaselineKey, of}, {contract.ForkKey, f.Name}, {contract.RenderedByKey, f.Owner.RenderedBy},
			{contract.RoutingKeyKey, f.Owner.RoutingKey}, {contract.SandboxKey, f.Owner.Sandbox},
		} {
			annotations = tree.With(annotations, fact[0], tree.Text(fact[1]))
		}
		return annotations
	}, "metadata", "annotations")
}
