package render

import (
	"bytes"
	"maps"
	"strconv"
	"sync"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Manifest is a Kubernetes object: one of k8s.io/api's types, or an Unstructured.
type Manifest interface {
	metav1.Object
	GetObjectKind() schema.ObjectKind
}

// ReadObject reads an item as kubectl does, by way of JSON. Whole numbers are int64.
func ReadObject(item *krm.Item) (map[string]any, error) {
	text, err := item.Bytes()
	if err != nil {
		return nil, err
	}
	var object map[string]any
	return object, yaml.Unmarshal(text, &object)
}

// PutObject is Put for an object of the Kubernetes API, which gets the annotations.
func (v *Inventory) PutObject(object Manifest, place *Place) (Change, error) {
	old, skip, err := v.claim(identity{object.GetObjectKind().GroupVersionKind().Kind, object.GetNamespace(), object.GetName()})
	if skip || err != nil {
		return Change{}, err
	}
	annotations := maps.Clone(object.GetAnnotations())
	if old != nil {
		same, err := old.holds(object, annotations)
		if err != nil || same && at(old.item, place) {
			return Change{}, err
		}
	}
	if place != nil {
		annotations[indexKey], annotations[pathKey] = strconv.Itoa(place.Index), place.Path
	}
	object.SetAnnotations(annotations)
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = yamlprint.AppendYAML((*buffer)[:0], content(object))
	fresh, err := krm.NewItem(bytes.Clone(*buffer))
	if err != nil {
		return Change{}, err
	}
	return old.change(fresh), nil
}

// buffers are what objects are printed to: most of what a large one would have allocated on the way is not needed later.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func content(object Manifest) any {
	if u, ok := object.(*unstructured.Unstructured); ok {
		return u.Object
	}
	return object
}

// holds reports whether the entry's item is the object, but for the orchestrators' annotations, which it adds to annotations.
func (e *entry) holds(object Manifest, annotations map[string]string) (bool, error) {
	read, err := ReadObject(e.item)
	if err != nil {
		return false, err
	}
	old := unstructured.Unstructured{Object: read}
	kept := old.GetAnnotations()
	for key, value := range kept {
		if isOrchestrators(key) {
			annotations[key] = value
			delete(kept, key)
		}
	}
	old.SetAnnotations(kept)
	return jsonpatch.Equal(yamlprint.AppendJSON(nil, old.Object), yamlprint.AppendJSON(nil, content(object))), nil
}
