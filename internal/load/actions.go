package load

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// hasActions reports whether a text is a template with actions ({{ … }}) outside of block scalars, such as a Helm chart's.
// In scripts, and in quoted strings, they are text.
func hasActions(text []byte) bool {
	if !bytes.Contains(text, []byte("{{")) {
		return false
	}
	block := -1 // the indentation of the line that starts a block scalar
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		switch {
		case len(trimmed) == 0 || block >= 0 && indent > block:
			continue
		case action().Match(line):
			return true
		}
		if block = -1; blockScalar().Match(trimmed) {
			block = indent
		}
	}
	return false
}

var (
	// action is a line that is an action of a Go template, or has one as a value that is not quoted, or one of Helm.
	action = lazily(`^\s*(?:-\s+)*(?:[^\s"'#][^"'#]*:\s+)?\{\{|` +
		`\{\{-?\s*(?:\.Values|\.Release|\.Chart|(?:include|template|tpl|if|range|with|define)\s|end\b)`)
	// blockScalar is a line after which a block scalar starts.
	blockScalar = lazily(`[:-]\s+(?:[!&]\S+\s+)*[|>][0-9+-]*(?:\s+#.*)?$`)
)

// hasMappingKey reports whether a key of a tree is a mapping, as YAML reads an unquoted {{ … }}. No tool takes such an
// object.
func hasMappingKey(node *yaml.Node) bool {
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 && child.Kind == yaml.MappingNode || hasMappingKey(child) {
			return true
		}
	}
	return false
}
