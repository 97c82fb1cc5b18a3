package document

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// mark is a key of a spec that distinguishes its kind, with the form of its value. The form matters, since other
// systems have kinds and keys of the same name, such as the Sandbox of agents.x-k8s.io and `resources` of a
// values.yaml.
type mark struct {
	key  string
	form func(value *yaml.Node) bool
}

var marks = map[string][]mark{
	contract.ResourcePlugin: {
		{"runner", mapping("image", "namespace", "podTemplateOverlay")},
		{"create", listOf("script", "inputs", "outputs")}, {"delete", listOf("script", "inputs", "outputs")},
	},
	contract.Sandbox: {
		{"forks", listOf("forkOf", "customizations")}, {"resources", listOf("plugin")}, {"local", listOf("from", "mappings")},
		{"virtual", listOf("workload")}, {"middleware", listOf("match")}, {"defaultRouteGroup", mapping("endpoints")},
	},
	contract.RouteGroup: {{"match", mapping("label", "any", "all")}},
}

// Resembles reports whether a spec looks like that of a kind: it has one of the keys that distinguish the kind, perhaps
// misspelled, with a value of the right form. A value from a template (`@{…}`) has every form.
func Resembles(kind string, spec *yaml.Node) bool {
	for spec != nil && spec.Kind == yaml.AliasNode {
		spec = spec.Alias
	}
	if spec == nil || spec.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(spec.Content); i += 2 {
		value := spec.Content[i+1]
		for _, m := range marks[kind] {
			near, _ := strictyaml.Nearest(spec.Content[i].Value, []string{m.key})
			if near != "" && (isTemplate(value) || m.form(value)) {
				return true
			}
		}
	}
	return false
}

// LooksLike returns the kind of plugin, sandbox or route group that an object with another or no apiVersion looks like,
// or "". For objects in the group of the vendor's operator the kind is enough.
func LooksLike(item *krm.Item) string {
	kind, apiVersion := item.Kind(), item.APIVersion()
	group, _, _ := strings.Cut(apiVersion, "/")
	switch {
	case marks[kind] == nil || group == contract.Group:
		return ""
	case group == contract.VendorGroup, Resembles(kind, krm.Value(item.YNode(), "spec")):
		return kind
	}
	return ""
}

// WrongVersion returns the message for an object that looks like one of a kind but has another apiVersion.
func WrongVersion(kind, apiVersion string) string {
	message := fmt.Sprintf("looks like a %s: apiVersion must be %q", kind, contract.APIVersion)
	if apiVersion != "" {
		message += fmt.Sprintf(", not %q", apiVersion)
	}
	return message
}

func isTemplate(value *yaml.Node) bool {
	return value.Kind == yaml.ScalarNode && strings.Contains(value.Value, "@{")
}

// mapping matches mappings with one of the keys.
func mapping(keys ...string) func(value *yaml.Node) bool {
	return func(value *yaml.Node) bool {
		for _, key := range keys {
			if krm.Value(value, key) != nil {
				return true
			}
		}
		return false
	}
}

// listOf matches lists with a mapping that has one of the keys.
func listOf(keys ...string) func(value *yaml.Node) bool {
	element := mapping(keys...)
	return func(value *yaml.Node) bool {
		for value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		if value.Kind != yaml.SequenceNode {
			return false
		}
		for _, one := range value.Content {
			if element(one) {
				return true
			}
		}
		return false
	}
}
