package decode

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// describe names a value as a person would, with the text of a scalar.
func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch node.ShortTag() {
	case "!!int", "!!float":
		return "the number " + node.Value
	case "!!bool":
		return "the boolean " + node.Value
	case "!!null":
		return "null"
	case "!!str":
		return fmt.Sprintf("the string %q", node.Value)
	default:
		return fmt.Sprintf("%q", node.Value)
	}
}

// readersDisagree tells whether a plain scalar that YAML 1.2 reads as a string is a boolean or a number to a YAML 1.1
// reader, as the vendor's loader is.
func readersDisagree(plain string) bool {
	switch plain {
	case "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF":
		return true
	}
	digits := strings.ReplaceAll(strings.TrimLeft(plain, "+-"), "_", "")
	return digits != "" && strings.Trim(digits, "0123456789.:") == "" && strings.ContainsAny(plain, "_:") &&
		digits[0] >= '0' && digits[0] <= '9'
}

func enumerate(keys []string) string {
	quoted := make([]string, len(keys))
	for i, key := range keys {
		quoted[i] = fmt.Sprintf("%q", key)
	}
	return strings.Join(quoted, ", ")
}
