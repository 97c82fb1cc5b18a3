package htmlreport

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// This file decides which scalars of a document are shown in lines of its file. A scalar that is not known to be harmless is
// hidden: the values of fields that a document's type does not have, such as params under a misspelled key, and of a
// Kubernetes object all but names, images and the like.

// specs are the types of the documents whose fields are known.
var specs = map[string]reflect.Type{
	contract.ResourcePlugin: reflect.TypeFor[v1alpha1.ResourcePluginSpec](),
	contract.Sandbox:        reflect.TypeFor[v1alpha1.SandboxSpec](),
	contract.RouteGroup:     reflect.TypeFor[v1alpha1.RouteGroupSpec](),
	contract.PluginTest:     reflect.TypeFor[v1alpha1.PluginTestSpec](),
	contract.OutputSecret:   reflect.TypeFor[v1alpha1.OutputSecretSpec](),
	contract.Catalog:        reflect.TypeFor[v1alpha1.CatalogSpec](),
	contract.PluginLock:     reflect.TypeFor[v1alpha1.PluginLockSpec](),
}

// valueFields are the fields whose values may be passwords.
var valueFields = map[reflect.Type][]string{
	reflect.TypeFor[v1alpha1.SandboxResource]():   {"params"},
	reflect.TypeFor[v1alpha1.WorkloadPatch]():     {"value"},
	reflect.TypeFor[v1alpha1.Env]():               {"value"},
	reflect.TypeFor[v1alpha1.LocalFile]():         {"value"},
	reflect.TypeFor[v1alpha1.MiddlewareArg]():     {"value"},
	reflect.TypeFor[v1alpha1.Fixture]():           {"command", "env", "ready"},
	reflect.TypeFor[v1alpha1.TestSecret]():        {"data"},
	reflect.TypeFor[v1alpha1.TestCase]():          {"params"},
	reflect.TypeFor[v1alpha1.OutputExpectation](): {"equals", "matches"},
}

// plainKeys are the keys of Kubernetes objects and Pod templates whose scalars are shown.
var plainKeys = strings.Fields("apiVersion kind name namespace generateName image imagePullPolicy replicas port " +
	"targetPort containerPort protocol serviceAccountName serviceAccount restartPolicy mountPath subPath key fieldPath " +
	"secretName claimName type package source version crd group plural singular scope shortNames cpu memory storage " +
	"runAsUser runAsGroup fsGroup readOnlyRootFilesystem schedulerName priorityClassName runtimeClassName nodeName " +
	"nodeSelector")

// plainLists are the plain keys whose values are lists: a list at another one is a mistake, and may hold anything.
var plainLists = []string{"shortNames"}

// plainMappings are the keys of mappings whose scalars are all shown.
var plainMappings = []string{"labels", "matchLabels", "selector", "nodeSelector", "limits", "requests"}

// objectKeys are the top-level keys of Kubernetes objects below which there are plain keys.
var objectKeys = []string{"spec", "status", "rules", "webhooks", "subjects", "roleRef"}

// The types of metadata, and of an overlay.
var (
	metadataType = reflect.TypeFor[metav1.ObjectMeta]()
	overlayType  = reflect.TypeFor[corev1.PodTemplateSpec]()
)

// hiddenScalars returns the scalars of an item that are hidden, and the overlays, which contain YAML.
func hiddenScalars(item *krm.Item) (nodes, overlays []*yaml.Node) {
	root := item.YNode()
	spec, isOurs := specs[item.Kind()]
	if root == nil || root.Kind != yaml.MappingNode {
		return scalars(root), nil
	}
	s := &selection{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch key, value := root.Content[i].Value, root.Content[i+1]; key {
		case "apiVersion", "kind":
			s.field(value, reflect.TypeFor[string]())
		case "metadata":
			s.nodes = append(s.nodes, plainOnly(value, metadataType)...)
		case "spec":
			if isOurs {
				s.field(value, spec)
				continue
			}
			fallthrough
		default:
			if !isOurs && slices.Contains(objectKeys, key) {
				s.nodes = foreign(s.nodes, "", value)
			} else {
				s.hide(value)
			}
		}
	}
	return s.nodes, s.overlays
}

// foreign appends the scalars of an object whose fields are not known, except those of plain keys, booleans and nulls.
func foreign(nodes []*yaml.Node, key string, node *yaml.Node) []*yaml.Node {
	switch {
	case node.Kind == yaml.AliasNode: // its target is in the tree, or is hidden with the field that has it
		return nodes
	case node.Kind == yaml.ScalarNode:
		if tag := node.ShortTag(); tag == "!!bool" || tag == "!!null" || slices.Contains(plainKeys, key) {
			return nodes
		}
		return append(nodes, node)
	case slices.Contains(plainMappings, key):
		return nodes
	case node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			nodes = foreign(nodes, node.Content[i].Value, node.Content[i+1])
		}
		return nodes
	}
	if !slices.Contains(plainLists, key) {
		key = ""
	}
	for _, child := range node.Content {
		nodes = foreign(nodes, key, child)
	}
	return nodes
}

// plainOnly returns the scalars of a value of a type of Kubernetes, except those of plain keys, booleans and nulls.
func plainOnly(node *yaml.Node, of reflect.Type) []*yaml.Node {
	s := &selection{onlyPlain: true}
	s.field(node, of)
	return s.nodes
}

// selection collects the scalars that are hidden in a document of a known type.
type selection struct {
	// onlyPlain hides the scalars of known fields, too, unless their keys are plain.
	onlyPlain       bool
	nodes, overlays []*yaml.Node
}

func (s *selection) hide(node *yaml.Node) {
	for _, scalar := range scalars(node) {
		if tag := scalar.ShortTag(); !s.onlyPlain || tag != "!!bool" && tag != "!!null" {
			s.nodes = append(s.nodes, scalar)
		}
	}
}

// field selects the scalars of a value that its type does not have.
func (s *selection) field(node *yaml.Node, of reflect.Type) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case node.Kind == yaml.AliasNode:
		s.field(node.Alias, of)
	case node.Kind == yaml.ScalarNode && isScalar(of):
	case of.Kind() == reflect.Struct && node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			s.of(of, node.Content[i].Value, node.Content[i+1])
		}
	case of.Kind() == reflect.Map && node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			s.field(node.Content[i+1], of.Elem())
		}
	case of.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode:
		for _, element := range node.Content {
			s.field(element, of.Elem())
		}
	default:
		s.hide(node)
	}
}

// of selects the scalars of the value at a key of a struct.
func (s *selection) of(of reflect.Type, key string, value *yaml.Node) {
	field, known := fieldOf(of, key)
	switch {
	case !known || slices.Contains(valueFields[of], field.name), s.onlyPlain && !isPlain(key, field.of):
		s.hide(value)
	case of == reflect.TypeFor[v1alpha1.Runner]() && field.name == "podTemplateOverlay":
		s.overlay(value)
	default:
		s.field(value, field.of)
	}
}

// overlay selects the nodes of an overlay that may be a password: a text, or a value where a text is expected.
func (s *selection) overlay(value *yaml.Node) {
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	if value.Kind == yaml.ScalarNode {
		s.overlays = append(s.overlays, value)
		return
	}
	s.nodes = append(s.nodes, plainOnly(value, overlayType)...)
}

// isPlain reports whether scalars at a key may be shown: the key is plain, or the field has fields.
func isPlain(key string, of reflect.Type) bool {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	return of.Kind() == reflect.Struct && !isScalar(of) ||
		slices.Contains(plainKeys, key) || slices.Contains(plainMappings, key)
}

// structField is a field of a struct.
type structField struct {
	name string
	of   reflect.Type
}

// fieldOf returns the field of a struct that a key, or a former key, sets.
func fieldOf(of reflect.Type, key string) (structField, bool) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			if found, known := fieldOf(field.Type, key); known {
				return found, true
			}
		}
		if name == key || slices.Contains(strings.Split(field.Tag.Get("aliases"), ","), key) {
			return structField{name, field.Type}, true
		}
	}
	return structField{}, false
}

// isScalar reports whether a type is read from a scalar, such as a number, a quantity or a time.
func isScalar(of reflect.Type) bool {
	if reflect.PointerTo(of).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return true
	}
	return of.Kind() != reflect.Struct && of.Kind() != reflect.Map && of.Kind() != reflect.Slice
}

// knownKeys are the keys of the documents whose fields are known, and the plain ones.
var knownKeys = sync.OnceValue(func() map[string]bool {
	keys := map[string]bool{"metadata": true, "spec": true}
	for _, key := range slices.Concat(plainKeys, plainMappings) {
		keys[key] = true
	}
	for _, spec := range specs {
		addKeys(keys, spec, map[reflect.Type]bool{})
	}
	return keys
})

func addKeys(keys map[string]bool, of reflect.Type, seen map[reflect.Type]bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || seen[of] {
		return
	}
	seen[of] = true
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		keys[name] = true
		addKeys(keys, of.Field(i).Type, seen)
	}
}

// isKnownKey reports whether the beginning of a line, up to a colon, is a known key, behind blanks and dashes.
func isKnownKey(text string) bool { return knownKeys()[strings.TrimLeft(text, " -")] }

// hiddenInside returns the hidden scalars of an overlay, with places inside its text. It returns false if the text is not
// YAML, and is hidden as a whole.
func hiddenInside(overlay *yaml.Node) ([]*yaml.Node, bool) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(overlay.Value), &document); err != nil {
		return nil, false
	}
	var nodes []*yaml.Node
	for _, root := range document.Content {
		nodes = append(nodes, plainOnly(root, overlayType)...)
	}
	return nodes, true
}
