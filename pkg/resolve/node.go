package resolve

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"
	"go.yaml.in/yaml/v3"
)

// nodeOf returns a value as a tree. It knows the kinds of fields that the types of this package have.
func listingNodeOf(value reflect.Value) *yaml.Node {
	switch value.Kind() {
	case reflect.Pointer:
		return listingNodeOf(value.Elem())
	case reflect.Struct:
		return structNode(value)
	case reflect.Slice:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for i := range value.Len() {
			list.Content = append(list.Content, listingNodeOf(value.Index(i)))
		}
		if len(list.Content) == 0 {
			list.Style = yaml.FlowStyle
		}
		return list
	case reflect.Map:
		mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		entries := value.Interface().(map[string]string)
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			mapping.Content = append(mapping.Content, textNode(key), textNode(entries[key]))
		}
		return mapping
	case reflect.Int:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(value.Int(), 10)}
	default:
		return textNode(value.String())
	}
}

func structNode(value reflect.Value) *yaml.Node {
	mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := range value.NumField() {
		key, rest, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		if rest != "omitempty" || !isZero(value.Field(i)) {
			mapping.Content = append(mapping.Content, textNode(key), listingNodeOf(value.Field(i)))
		}
	}
	return mapping
}

func isZero(value reflect.Value) bool {
	return value.IsZero() || (value.Kind() == reflect.Slice || value.Kind() == reflect.Map) && value.Len() == 0
}

// textNode returns a string, plain where no reader of YAML takes it for anything else.
func textNode(text string) *yaml.Node {
	text = strings.ToValidUTF8(text, "\ufffd")
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if !isPlain(text) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

// isPlain tells whether text is a sentence of plain letters, or a full version: two dots make it no number.
func isPlain(text string) bool {
	if _, err := semver.StrictNewVersion(text); err == nil {
		return true
	}
	switch strings.ToLower(text) {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	if !isLetter(text[0]) || strings.HasSuffix(text, " ") || strings.HasSuffix(text, ":") || strings.Contains(text, ": ") {
		return false
	}
	for i := range len(text) {
		if c := text[i]; !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte(" -_./@+:;()'", c) < 0 {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
