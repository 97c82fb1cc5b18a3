package render

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Manifest is a Kubernetes object with its TypeMeta.
type Manifest interface {
	metav1.Object
	GetObjectKind() schema.ObjectKind
}

// object is a rendered object.
type object struct {
	Manifest

	kind string
	// phase is the phase whose objects it is one of. The delete phase comes with the create phase's Secrets.
	phase v1alpha1.Phase
	// isShared is set if it belongs to no sandbox in particular.
	isShared bool
	// added are annotations beside the object's own.
	added map[string]string
	// isTemplate is set if text that Helm would take for an action must be escaped.
	isTemplate bool
}

// buffers are reused for printing objects, so that each object is held in exactly as many bytes as it has.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// print prints the object by a function of yamlprint, with more annotations.
func (o *object) print(printer func(dst []byte, object any) []byte, annotations map[string]string) []byte {
	own := o.GetAnnotations()
	o.SetAnnotations(engine.Merged(engine.Merged(own, o.added), annotations))
	var content any = o.Manifest
	if free, ok := content.(*unstructured.Unstructured); ok {
		content = free.Object
	}
	buffer := buffers.Get().(*[]byte)
	text := printer((*buffer)[:0], content)
	*buffer = text
	o.SetAnnotations(own)
	if o.isTemplate {
		text = escapeTemplate(text)
	}
	text = bytes.Clone(text)
	buffers.Put(buffer)
	return text
}

// yaml prints the object with more annotations.
func (o *object) yaml(annotations map[string]string) []byte {
	return o.print(yamlprint.AppendYAML, annotations)
}

// ReadObject decodes an item as kubectl does, by way of JSON. Whole numbers are int64. A key that is given twice is an
// error.
func ReadObject(item *krm.Item) (map[string]any, error) {
	if err := item.CheckKeys(); err != nil {
		return nil, err
	}
	text, err := item.Bytes()
	if err != nil {
		return nil, err
	}
	var object map[string]any
	return object, yaml.Unmarshal(text, &object)
}

// compare reports whether an item has the same content as an object, but for the orchestrators' annotations, which it
// returns.
func compare(item *krm.Item, with *object) (equal bool, theirs map[string]string, err error) {
	old, err := ReadObject(item)
	if err != nil {
		return false, nil, fmt.Errorf("decode %s %q: %w", item.Kind(), item.Name(), err)
	}
	theirs = map[string]string{}
	metadata, _ := old["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	for key, value := range annotations {
		if isOrchestrators(key) {
			theirs[key] = fmt.Sprint(value)
			delete(annotations, key)
		}
	}
	return bytes.Equal(yamlprint.AppendJSON(nil, old), with.print(yamlprint.AppendJSON, nil)), theirs, nil
}

// isOrchestrators reports whether an annotation is an orchestrator's own.
func isOrchestrators(key string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	switch prefix {
	case "internal.config.kubernetes.io", "config.kubernetes.io", "config.k8s.io", "kustomize.config.k8s.io":
		return true
	}
	return false
}

// metadata holds the labels and annotations of an object or Pod template of a resource. Labels are for selectors; the
// annotations with the same keys hold the true values. Objects share the maps.
type metadata struct{ labels, annotations map[string]string }

// add adds a label and the annotation of the same key.
func (m metadata) add(key, value string) {
	m.labels[key], m.annotations[key] = contract.LabelValue(value), value
}

// of returns the metadata of an object.
func (m metadata) of(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Annotations: m.annotations, Labels: m.labels, Name: name, Namespace: namespace}
}

// metadata returns that of all objects of the sandbox in a phase.
func (r *request) metadata(phase v1alpha1.Phase) metadata {
	m := metadata{make(map[string]string, 8), make(map[string]string, 12)}
	m.labels[contract.ManagedByKey] = contract.ManagedBy
	m.add(contract.PhaseKey, string(phase))
	m.add(contract.SandboxKey, r.Sandbox)
	m.add(contract.SandboxIDKey, r.SandboxID)
	return m
}

// metadata returns that of Pods in a phase, with a step's if there is one.
func (r *renderer) metadata(phase v1alpha1.Phase, s *step) metadata {
	m := r.request.metadata(phase)
	m.add(contract.ResourceKey, r.Resource)
	if s != nil {
		key := contract.StepKey
		if s.isOfForks() {
			key = contract.HelperKey
		}
		m.add(key, s.label())
		m.annotations[contract.GenerationKey] = r.generations[s.ref]
		if len(s.producers) > 0 {
			m.annotations[contract.DependsOnKey] = strings.Join(named(s.producers, (*step).label), ",")
		}
	}
	return m
}

// objectMetadata adds the annotations that objects have but Pod templates do not: a version that changes nothing in a
// step leaves its template, and so its Job, unchanged.
func (r *renderer) objectMetadata(m metadata) metadata {
	annotations := maps.Clone(m.annotations)
	annotations[contract.PluginKey] = r.Plugin
	r.options.Own(annotations)
	if r.Digest != "" {
		annotations[contract.DigestKey] = r.Digest
	}
	return metadata{m.labels, annotations}
}
