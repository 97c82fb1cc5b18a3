package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// configure decodes a functionConfig into the config: the typed form, whose fields are next to metadata, or a ConfigMap
// with the same fields as strings.
func (r *run) configure(item *krm.Item) []strictyaml.Problem {
	switch apiVersion, kind := item.APIVersion(), item.Kind(); {
	case apiVersion == contract.APIVersion && kind == r.Kind:
		return r.typed(item.YNode())
	case apiVersion == "v1" && kind == "ConfigMap":
		return r.configMap(item.YNode())
	case kind == r.Kind:
		return wrong("apiVersion", fmt.Sprintf("must be %q, not %q", contract.APIVersion, apiVersion))
	default:
		return wrong("kind", fmt.Sprintf("functionConfig must be a %s of %s or a ConfigMap of v1, not %q of %q",
			r.Kind, contract.APIVersion, kind, apiVersion))
	}
}

func wrong(path krm.Path, message string) []strictyaml.Problem {
	return []strictyaml.Problem{{Rule: strictyaml.RuleType, Severity: krm.Error, Path: path, Message: message}}
}

// typed decodes the fields next to apiVersion, kind and metadata.
func (r *run) typed(node *yaml.Node) []strictyaml.Problem {
	own := *node
	own.Content = nil
	for i := 0; i+1 < len(node.Content); i += 2 {
		switch node.Content[i].Value {
		case "apiVersion", "kind", "metadata":
		default:
			own.Content = append(own.Content, node.Content[i], node.Content[i+1])
		}
	}
	problems := strictyaml.Into(&own, "", r.config)
	for i := range problems {
		if problems[i].Path == "spec" && problems[i].Rule == strictyaml.RuleUnknown {
			problems[i].Message = "unknown key \"spec\": the fields of a functionConfig must be next to metadata"
		}
	}
	return problems
}

// configMap decodes the fields in data, which are strings.
func (r *run) configMap(node *yaml.Node) []strictyaml.Problem {
	data := krm.Value(node, "data")
	if data == nil || data.Kind != yaml.MappingNode {
		if data != nil && data.ShortTag() != "!!null" {
			return wrong("data", "must be a mapping of strings")
		}
		return nil
	}
	fields := map[string]field{}
	for _, f := range fieldsOf(r.config) {
		fields[f.key] = f
	}
	converted := *data
	converted.Content = nil
	var problems []strictyaml.Problem
	for i := 0; i+1 < len(data.Content); i += 2 {
		key, value := data.Content[i], data.Content[i+1]
		if f, known := fields[key.Value]; known && value.Kind == yaml.ScalarNode && value.ShortTag() == "!!str" {
			var err error
			if value, err = fromString(value, f.value.Kind()); err != nil {
				problems = append(problems, wrong(krm.Path("data").Key(key.Value), err.Error())...)
				continue
			}
		}
		converted.Content = append(converted.Content, key, value)
	}
	return append(problems, strictyaml.Into(&converted, "data", r.config)...)
}

// fromString converts the string of a ConfigMap to a value of the kind. A string that does not fit stays one, and
// decoding refuses it.
func fromString(text *yaml.Node, kind reflect.Kind) (*yaml.Node, error) {
	trimmed := strings.TrimSpace(text.Value)
	_, err := strconv.Atoi(trimmed)
	switch {
	case kind == reflect.Bool && (trimmed == "true" || trimmed == "false"):
		return scalarNode(text, "!!bool", trimmed), nil
	case kind == reflect.Int && err == nil:
		return scalarNode(text, "!!int", trimmed), nil
	case kind == reflect.Slice:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: text.Line, Column: text.Column}
		for _, element := range splitList(text.Value) {
			list.Content = append(list.Content, scalarNode(text, "!!str", element))
		}
		return list, nil
	case kind == reflect.Map:
		return mapNode(text)
	}
	return scalarNode(text, "!!str", text.Value), nil
}

// mapNode reads `key=value` pairs, one a line, or separated by commas if there is one line.
func mapNode(text *yaml.Node) (*yaml.Node, error) {
	pairs := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: text.Line, Column: text.Column}
	for _, pair := range splitList(text.Value) {
		key, value, found := strings.Cut(pair, "=")
		if !found {
			return nil, fmt.Errorf("must be KEY=VALUE pairs, one a line, not %q", pair)
		}
		pairs.Content = append(pairs.Content,
			scalarNode(text, "!!str", strings.TrimSpace(key)), scalarNode(text, "!!str", value))
	}
	return pairs, nil
}

// scalarNode returns a scalar in quotes, so that no YAML reader takes the string of a ConfigMap for anything else.
func scalarNode(at *yaml.Node, tag, value string) *yaml.Node {
	return &yaml.Node{
		Kind: yaml.ScalarNode, Tag: tag, Style: yaml.DoubleQuotedStyle, Value: value, Line: at.Line, Column: at.Column,
	}
}

// firstKey returns the first key of a path.
func firstKey(path krm.Path) string {
	key, _, _ := strings.Cut(string(path), ".")
	key, _, _ = strings.Cut(key, "[")
	return key
}
