package render

import (
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// metadata is what an object or Pod template of a resource is labelled and annotated with. The labels select; the
// annotations of the same keys hold the true values. Objects share the maps.
type metadata struct{ labels, annotations map[string]string }

// add adds a label and the annotation of the same key.
func (m metadata) add(key, value string) {
	m.labels[key], m.annotations[key] = contract.LabelValue(value), value
}

// of returns the metadata of an object.
func (m metadata) of(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Annotations: m.annotations, Labels: m.labels, Name: name, Namespace: namespace}
}

// metadata returns that of Pods in a phase, with a step's if there is one.
func (r *renderer) metadata(phase v1alpha1.Phase, s *step) metadata {
	m := metadata{make(map[string]string, 8), make(map[string]string, 12)}
	m.labels[contract.ManagedByKey] = contract.ManagedBy
	m.add(contract.PhaseKey, string(phase))
	m.add(contract.ResourceKey, r.Resource)
	m.add(contract.SandboxKey, r.Sandbox)
	if s != nil {
		m.add(contract.StepKey, s.spec.Name)
		m.annotations[contract.GenerationKey] = r.generations[s.ref]
		if len(s.producers) > 0 {
			m.annotations[contract.DependsOnKey] = strings.Join(r.waitsFor(s), ",")
		}
	}
	return m
}

// objectMetadata adds what is on objects but not on Pod templates: a version that changes nothing in a step leaves its
// template, and so its Job, as it is.
func (r *renderer) objectMetadata(m metadata) metadata {
	annotations := maps.Clone(m.annotations)
	annotations[contract.PluginKey] = r.Plugin
	annotations[contract.RenderedByKey] = r.options.Name
	if r.Digest != "" {
		annotations[contract.DigestKey] = r.Digest
	}
	return metadata{m.labels, annotations}
}

// merged returns a with b's entries; b wins.
func merged(a, b map[string]string) map[string]string {
	if len(a) == 0 {
		return b
	}
	all := make(map[string]string, len(a)+len(b))
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
