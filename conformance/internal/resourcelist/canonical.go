package resourcelist

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxNodes limits how many nodes a document with nested aliases can expand to.
const maxNodes = 1 << 22

// Canonical returns a value that is equal (reflect.DeepEqual) for two nodes with the same meaning: aliases and merge keys
// are expanded, numbers have one text, and the order of fields has no effect.
func Canonical(node *yaml.Node) any {
	budget := maxNodes
	return canonical(node, &budget)
}

func canonical(node *yaml.Node, budget *int) any {
	node = resolve(node)
	if *budget--; node == nil || *budget < 0 {
		return nil
	}
	switch node.Kind {
	case yaml.MappingNode:
		return canonicalMap(node, budget)
	case yaml.SequenceNode:
		list := make([]any, 0, len(node.Content))
		for _, element := range node.Content {
			list = append(list, canonical(element, budget))
		}
		return list
	default:
		return scalar(node)
	}
}

func canonicalMap(node *yaml.Node, budget *int) map[string]any {
	result := map[string]any{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if key := resolve(node.Content[i]); key.ShortTag() == "!!merge" {
			merge(result, resolve(node.Content[i+1]), budget)
		}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if key := resolve(node.Content[i]); key.ShortTag() != "!!merge" {
			result[key.Value] = canonical(node.Content[i+1], budget)
		}
	}
	return result
}

// merge adds the fields of a merge key. Of a list the first mapping takes precedence.
func merge(into map[string]any, node *yaml.Node, budget *int) {
	sources := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		sources = node.Content
	}
	for _, source := range sources {
		fields, _ := canonical(source, budget).(map[string]any)
		for key, value := range fields {
			if _, has := into[key]; !has {
				into[key] = value
			}
		}
	}
}

// scalar returns a type and a text, such as "number 1000".
func scalar(node *yaml.Node) string {
	switch tag := node.ShortTag(); tag {
	case "!!int", "!!float":
		text := strings.ReplaceAll(node.Value, "_", "")
		if approximate, err := strconv.ParseFloat(text, 64); err == nil && (approximate == 0 || math.IsInf(approximate, 0)) {
			return "number " + text // an exponent of nine digits would need gigabytes
		}
		if number, ok := new(big.Rat).SetString(text); ok && len(text) < 400 {
			return "number " + number.RatString()
		}
		return "number " + text
	case "!!bool":
		return "boolean " + strings.ToLower(node.Value)
	case "!!null":
		return "null"
	default:
		return "string " + node.Value
	}
}

// Plain returns a node as the values of encoding/json, for a JSON Schema. Numbers lose precision. Of a key that is in a
// mapping twice it takes the last one.
func Plain(node *yaml.Node) any { return plain(Canonical(node)) }

func plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			value[key] = plain(value[key])
		}
	case []any:
		for i := range value {
			value[i] = plain(value[i])
		}
	case string:
		return plainScalar(value)
	}
	return value
}

// plainScalar returns the value of a text that scalar returned.
func plainScalar(text string) any {
	kind, value, _ := strings.Cut(text, " ")
	switch kind {
	case "number":
		if number, ok := new(big.Rat).SetString(value); ok && len(value) < 800 && !strings.ContainsAny(value, "eEpP") {
			approximate, _ := number.Float64()
			return approximate
		}
		return math.MaxFloat64 // it has an exponent that no field needs
	case "boolean":
		return value == "true"
	case "null":
		return nil
	}
	return value
}
