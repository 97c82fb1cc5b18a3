// Package yamlprint prints YAML and canonical JSON: of Kubernetes objects, and of trees that were read from a text. It
// is for programs that print tens of thousands of objects: sigs.k8s.io/yaml and go-yaml take ten times as long.
//
//	text := yamlprint.AppendYAML(nil, &batchv1.Job{…})
//
// An object goes through encoding/json. Both forms have the content of its JSON with three differences, which do not
// change the decoded object: keys are sorted; nulls in mappings are omitted (`containers: null`); and so are structs of
// k8s.io/api without content (`status: {}`, `resources: {}`). An environment variable without a source shows its value
// even if it is empty: a reviewer should see that it is set.
package yamlprint

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

// AppendYAML appends an object as a YAML document that ends in a newline: block style, indented by two spaces, lists
// not indented further than their key. It panics if encoding/json does not support the object.
func AppendYAML(dst []byte, object any) []byte {
	c := converters.Get().(*converter)
	defer converters.Put(c)
	root := c.convert(object, true)
	if out, ok := appendBlock(dst, root, true); ok {
		return out
	}
	text, err := Encode(root) // a key is too long
	if err != nil {
		panic("yamlprint: " + err.Error())
	}
	return append(dst, text...)
}

// AppendJSON appends an object as canonical JSON: keys sorted, no blanks, the fewest escapes. Equal objects have equal
// bytes, which are hashed: they must never change. It panics if encoding/json does not support the object.
func AppendJSON(dst []byte, object any) []byte {
	c := converters.Get().(*converter)
	defer converters.Put(c)
	out, err := AppendTreeJSON(dst, c.convert(object, false))
	if err != nil {
		panic("yamlprint: " + err.Error())
	}
	return out
}

// converter converts objects to trees. Each tree reuses the memory of the last one.
type converter struct {
	text   bytes.Buffer
	reader jsonReader
}

var converters = sync.Pool{New: func() any { return new(converter) }}

func (c *converter) convert(object any, styled bool) *yaml.Node {
	c.text.Reset()
	encoder := json.NewEncoder(&c.text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		panic("yamlprint: " + err.Error()) // of Kubernetes' types none fails
	}
	r := &c.reader
	r.src, r.at, r.used, r.styled = c.text.String(), 0, 0, styled
	root := r.value()
	isTyped := reflect.Indirect(reflect.ValueOf(object)).Kind() == reflect.Struct
	canonicalize(root, isTyped)
	return root
}

// canonicalize sorts the keys of a tree and drops absent values.
func canonicalize(node *yaml.Node, isTyped bool) {
	if node.Kind != yaml.MappingNode {
		for _, element := range node.Content {
			canonicalize(element, isTyped)
		}
		return
	}
	isPodSpec := isTyped && slices.ContainsFunc(node.Content, func(n *yaml.Node) bool { return n.Value == "containers" })
	kept := node.Content[:0]
	for n := 0; n < len(node.Content); n += 2 {
		key, value := node.Content[n], node.Content[n+1]
		canonicalize(value, isTyped)
		if isTyped && key.Value == "env" {
			showEmptyValues(value)
		}
		if value.Tag == nullTag || isTyped && isAbsent(key.Value, value, isPodSpec) {
			continue
		}
		kept = append(kept, key, value)
		for at := len(kept) - 2; at > 0 && kept[at-2].Value > kept[at].Value; at -= 2 {
			kept[at-2], kept[at-1], kept[at], kept[at+1] = kept[at], kept[at+1], kept[at-2], kept[at-1]
		}
	}
	node.Content = kept
}

// isAbsent reports whether an empty mapping is a struct without content: one of those of k8s.io/api that are not
// pointers. A Pod's own resources are a pointer, those of its containers are not.
func isAbsent(key string, value *yaml.Node, inPodSpec bool) bool {
	if value.Kind != yaml.MappingNode || len(value.Content) > 0 {
		return false
	}
	switch key {
	case "metadata", "spec", "status", "template", "preference", "podAffinityTerm":
		return true
	case "resources":
		return !inPodSpec
	}
	return false
}

func showEmptyValues(env *yaml.Node) {
	for _, variable := range env.Content {
		if len(variable.Content) == 2 { // only the name
			variable.Content = append(variable.Content, newString("value"), newString(""))
		}
	}
}

func newString(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: stringTag, Value: text, Style: StyleOf(text)}
}
