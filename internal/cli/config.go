package cli

import (
	"fmt"
	"reflect"
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
	return []strictyaml.Problem{{Rule: strictyaml.RuleType, Severity: strictyaml.SeverityError, Path: path, Message: message}}
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
		if problems[i].Rule != strictyaml.RuleUnknown {
			continue
		}
		switch problems[i].Path {
		case "spec":
			problems[i].Message = `unknown key "spec": the fields of a functionConfig must be next to metadata`
		case "data":
			problems[i].Message = `unknown key "data": the fields of a ` + r.Kind +
				` must be next to metadata; "data" is for a ConfigMap`
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
	fields := map[string]*flagValue{}
	for _, f := range fieldsOf(r.config) {
		fields[f.Key] = &flagValue{Field: f}
	}
	others := *data
	others.Content = nil
	var problems []strictyaml.Problem
	for i := 0; i+1 < len(data.Content); i += 2 {
		key, value := data.Content[i], data.Content[i+1]
		switch f := fields[key.Value]; {
		case f == nil || value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str":
			others.Content = append(others.Content, key, value)
		case f.given:
			problems = append(problems, wrong(krm.Path("data").Key(key.Value),
				fmt.Sprintf("must be given once: key %q is repeated", key.Value))...)
		default:
			if err := f.setAll(value.Value); err != nil {
				problems = append(problems, wrong(krm.Path("data").Key(key.Value), err.Error())...)
			}
		}
	}
	return append(problems, strictyaml.Into(&others, "data", r.config)...)
}

// setAll sets the value of a field from the string of a ConfigMap: pairs are one a line, or separated by commas if there
// is one line.
func (v *flagValue) setAll(text string) error {
	values := []string{text}
	switch v.value.Kind() {
	case reflect.Bool, reflect.Int:
		values[0] = strings.TrimSpace(text)
	case reflect.Map:
		values = splitList(text)
	default:
	}
	v.given = len(values) == 0
	for _, value := range values {
		if err := v.Set(value); err != nil {
			return err
		}
	}
	return nil
}

// firstKey returns the first key of a path.
func firstKey(path krm.Path) string {
	key, _, _ := strings.Cut(string(path), ".")
	key, _, _ = strings.Cut(key, "[")
	return key
}
