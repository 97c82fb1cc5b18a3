package render

import (
	"bytes"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// Object is a rendered object.
type Object struct {
	Kind string
	// Phase is the phase whose objects it is one of, empty for what is of none. The delete phase comes with the create
	// phase's Secrets.
	Phase v1alpha1.Phase
	// Shared is set if it belongs to no sandbox in particular.
	Shared bool
	// Value is a pointer to the object, of a type of k8s.io/api or of one with the same json tags, with its TypeMeta; or an
	// Unstructured.
	Value metav1.Object
	// Annotations are those that Value has not and that are printed too.
	Annotations map[string]string

	isTemplate bool // of Helm, so that what it would take for an action is escaped
}

// yaml prints the object with more annotations.
func (o *Object) yaml(annotations map[string]string) []byte {
	own := o.Value.GetAnnotations()
	o.Value.SetAnnotations(merged(merged(own, o.Annotations), annotations))
	buffer := buffers.Get().(*[]byte)
	var content any = o.Value
	if u, ok := o.Value.(*unstructured.Unstructured); ok {
		content = u.Object
	}
	text := yamlprint.AppendYAML((*buffer)[:0], content)
	o.Value.SetAnnotations(own)
	*buffer = text
	if o.isTemplate {
		text = escapeTemplate(text)
	}
	text = bytes.Clone(text) // of its own size: a render holds all of them at once
	buffers.Put(buffer)
	return text
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}
