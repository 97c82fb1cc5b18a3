package render

import (
	"bytes"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// Manifest is a Kubernetes object with its TypeMeta: a pointer to one of the types of k8s.io/api, or to one with the same
// json tags, or an *unstructured.Unstructured.
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
	// isTemplate is set if what Helm would take for an action must be escaped.
	isTemplate bool
}

// buffers are what objects are printed to, so that each is held in as many bytes as it has.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// print prints the object by a function of yamlprint, with more annotations.
func (o *object) print(printer func(dst []byte, object any) []byte, annotations map[string]string) []byte {
	own := o.GetAnnotations()
	o.SetAnnotations(merged(merged(own, o.added), annotations))
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
