package krm

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// sureFlow returns a mapping or list as it is printed on one line.
func sureFlow(node *yaml.Node) (string, bool) {
	bare := *node
	bare.Style &^= yaml.FlowStyle
	if !isBareCollection(&bare) {
		return "", false
	}
	parts := make([]string, 0, len(node.Content))
	for n, child := range node.Content {
		if node.Kind == yaml.MappingNode && n%2 == 0 {
			if !isSureKey(child) || child.HeadComment != "" || strings.Contains(child.Value, ":") {
				return "", false
			}
			continue
		}
		text, ok := sureInFlow(child)
		if !ok {
			return "", false
		}
		if node.Kind == yaml.MappingNode {
			text = node.Content[n-1].Value + ": " + text
		}
		parts = append(parts, text)
	}
	if node.Kind == yaml.MappingNode {
		return "{" + strings.Join(parts, ", ") + "}", true
	}
	return "[" + strings.Join(parts, ", ") + "]", true
}

// sureInFlow returns what stands inside a mapping or list in flow style. A colon or a bracket that block style shows as it
// is may need quotes there.
func sureInFlow(node *yaml.Node) (string, bool) {
	if node.Kind != yaml.ScalarNode {
		return sureFlow(node)
	}
	if node.Anchor != "" || node.HeadComment != "" || node.LineComment != "" || node.FootComment != "" {
		return "", false
	}
	text, ok := sureScalar(node)
	isQuoted := ok && (text[0] == '"' || text[0] == '\'')
	return text, ok && (isQuoted || node.Value != "" && !strings.ContainsAny(text, ",:?[]{}"))
}
