package sandbox

import (
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// fork is a copy of a baseline's workload and its Services, for one sandbox. The copy runs next to the baseline without
// affecting it: it has its own name and labels, and no selector selects the Pods of both. Metadata that ties the
// baseline to a tool, a release or a load balancer is dropped.
type fork struct {
	owner    *input // the fork's sandbox
	index    int    // in the sandbox's forks
	baseline *workload
	// name is the name of the copy.
	name string
	// services are the copies of the baseline's Services.
	services []routedService
	// labels are the labels of the copy's Pods, once it is finalized.
	labels labels.Set
}

// newFork names the copies of a workload and its Services for a sandbox that refers to the workload as of.
func newFork(owner *input, index int, w *workload) *fork {
	of := owner.Spec.Forks[index].ForkOf
	kind := w.kind // of.Kind may be the other name of a Rollout
	f := &fork{
		owner: owner, index: index, baseline: w,
		name: contract.ForkName(owner.id, kind, of.Namespace, of.Name, w.name, owner.Name),
	}
	for _, service := range w.services {
		name := contract.ObjectName(contract.Hash("fork-service", owner.id, kind, of.Namespace, of.Name, service.name),
			service.name, owner.Name)
		f.services = append(f.services, routedService{service, of, name})
	}
	return f
}

// copyWorkload returns a copy of the baseline for customization. Its main container's variables name the fork, as in
// the vendor's sandbox downward API; the sandbox's own variables are set later and take precedence.
func (f *fork) copyWorkload() object {
	o := runtime.DeepCopyJSON(f.baseline.template())
	ensure(o, "spec")["replicas"] = int64(f.owner.options.Replicas)
	injectEnv(o, contract.SandboxNameVariable, f.owner.Name)
	injectEnv(o, contract.RoutingKeyVariable, f.owner.key)
	return o
}

// finalize sets the name, selectors, labels and annotations of a customized copy. The error names a field that a
// customization must not have removed.
func (f *fork) finalize(o object) error {
	for _, key := range []string{"apiVersion", "kind"} {
		if was := text(f.baseline.object, key); text(o, key) != was {
			return fmt.Errorf("must not change %s, which is %q", key, was)
		}
	}
	if len(children(o, "spec", "template", "spec", "containers")) == 0 {
		return errors.New("must leave at least one container in spec.template.spec.containers")
	}
	f.identify(o, f.name, f.baseline.kind+"/"+f.baseline.name)
	spec := child(o, "spec")
	spec["selector"] = f.selector()
	metadata := ensure(spec, "template", "metadata")
	f.relabel(metadata)
	f.labels = stringMap(metadata, "labels")
	f.redirectPlacement(child(spec, "template", "spec"))
	return nil
}

// copyServices returns the copies of the Services, sorted by name.
func (f *fork) copyServices() []object {
	copies := make([]object, len(f.services))
	for i, s := range f.services {
		copies[i] = runtime.DeepCopyJSON(s.template())
		f.identify(copies[i], s.fork, "Service/"+s.name)
		child(copies[i], "spec")["selector"] = object{contract.ForkKey: f.name}
	}
	return copies
}

// identify gives an object its name, labels and annotations.
func (f *fork) identify(o object, name, of string) {
	metadata := ensure(o, "metadata")
	metadata["name"], metadata["namespace"] = name, f.baseline.namespace
	f.relabel(metadata)
	ensure(metadata, "labels")[contract.SandboxIDKey] = f.owner.id
	annotations := ensure(metadata, "annotations")
	maps.DeleteFunc(annotations, func(key string, value any) bool {
		_, isText := value.(string) // the API server refuses others
		return !isText || isIdentity(key)
	})
	annotations[contract.BaselineKey] = of
	annotations[contract.ForkKey] = f.name
	annotations[contract.RenderedByKey] = f.owner.options.Name
	annotations[contract.RoutingKeyKey] = f.owner.key
	annotations[contract.SandboxIDKey] = f.owner.id
	annotations[contract.SandboxKey] = f.owner.Name
	if ttl := f.owner.ttl(); ttl != "" {
		annotations[janitorKey] = ttl
	}
}

// selector is the fork's selector for its Pods. No other Pod has the label with this value: the name ends in a hash of
// the fork's owner.
func (f *fork) selector() object {
	return object{"matchLabels": object{contract.ForkKey: f.name}}
}

// relabel replaces the labels by which selectors in the namespace could select the copy with those of the fork.
func (f *fork) relabel(metadata object) {
	exclusion := f.baseline.space.exclusion
	labels := ensure(metadata, "labels")
	maps.DeleteFunc(labels, func(key string, _ any) bool {
		return exclusion.named[key] || isOurs(key) || isIdentity(key) || key == instanceLabel
	})
	for key, value := range exclusion.set {
		labels[key] = value
	}
	labels[contract.ManagedByKey] = contract.ManagedBy
	labels[contract.ForkKey] = f.name
	labels[contract.SandboxKey] = contract.LabelValue(f.owner.Name)
}

// redirectPlacement changes placement rules relative to the baseline's own Pods to the fork's Pods: a fork must neither
// avoid the nodes of its baseline nor count its Pods.
func (f *fork) redirectPlacement(spec object) {
	terms := children(spec, "topologySpreadConstraints")
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		terms = append(terms, children(spec, "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution")...)
		for _, weighted := range children(spec, "affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution") {
			terms = append(terms, child(weighted, "podAffinityTerm"))
		}
	}
	for _, term := range terms {
		if term["namespaces"] != nil || term["namespaceSelector"] != nil {
			continue // is about other Pods
		}
		if s, ok := readSelector(term, "labelSelector"); ok && s.Matches(labels.Set(f.baseline.labels)) {
			term["labelSelector"] = f.selector()
		}
	}
}
