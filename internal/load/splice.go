package load

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// splice replaces a node with the tree of a text. The tree's values have the origin of the text.
func (e *Expander) splice(node *yaml.Node, text string, origin Origin) error {
	name := fmt.Sprintf("variable %q", origin.Variable)
	if origin.File != "" {
		name = fmt.Sprintf("%q", origin.File)
	}
	root, err := e.shared.tree(origin.File, []byte(text))
	if err != nil {
		return fmt.Errorf("the value of %s%w", name, err)
	}
	root.HeadComment, root.LineComment, root.FootComment = node.HeadComment, node.LineComment, node.FootComment
	line, column := node.Line, node.Column
	*node = *root
	e.place(node, line, column, origin)
	return nil
}

// parseInserted parses the text of a file, or of a variable if file is empty. The error goes on after the name of the text.
func parseInserted(file string, text []byte) (*yaml.Node, error) {
	parse := strictyaml.Parse
	isJSON := file != "" && strictyaml.IsJSON(file, text)
	if isJSON {
		parse = strictyaml.ParseJSON
	}
	root, problem := parse(text)
	if separators := strictyaml.Separators(text); !isJSON && len(separators) > 0 {
		problem = &separators[0]
	}
	switch {
	case problem != nil:
		return nil, fmt.Errorf(": %s", problem)
	case root == nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, nil
	case hasAnchors(root):
		return nil, errors.New(" must not use YAML anchors")
	}
	return root, nil
}

// place sets the position of a spliced tree to that of the directive, and records the positions of its nodes in the
// file or the variable.
func (e *Expander) place(tree *yaml.Node, line, column int, origin Origin) {
	origin.Start, origin.End = 0, len(tree.Value)
	origin.Line, origin.Column = tree.Line, tree.Column
	origin.Encoded = true
	e.record(tree, []Origin{origin})
	tree.Line, tree.Column = line, column
	for _, content := range tree.Content {
		e.place(content, line, column, origin)
	}
}

// hasAnchors reports whether a tree uses anchors: their names could conflict with the document's own.
func hasAnchors(node *yaml.Node) bool {
	return node.Anchor != "" || node.Kind == yaml.AliasNode || slices.ContainsFunc(node.Content, hasAnchors)
}

// styleOf returns the style of a filled-in string: several lines as literal text if that is safe, otherwise quoted, so
// that every reader reads a number as a string.
func styleOf(written yaml.Style, value string) yaml.Style {
	if isLiteralSafe(value) {
		return yaml.LiteralStyle
	}
	if written == yaml.SingleQuotedStyle && !strings.ContainsAny(value, "\n\r") {
		return written
	}
	return yaml.DoubleQuotedStyle
}

// isLiteralSafe reports whether every YAML reader reads value unchanged from a literal block: several lines, no blank
// at the start of the first, no breaks but newlines, and no control characters.
func isLiteralSafe(value string) bool {
	if !strings.Contains(value, "\n") || strings.ContainsAny(value[:1], " \t\n") {
		return false
	}
	return !strings.ContainsFunc(value, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0xa0 ||
			r == 0x2028 || r == 0x2029 || r == 0xfeff || r > 0xfffd
	})
}
