package template

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// graft puts the tree that text is in the place of node. Its values point to where they came from.
func (e *Expander) graft(node *yaml.Node, text string, origin Origin) error {
	var document yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(text))
	err := decoder.Decode(&document)
	switch {
	case errors.Is(err, io.EOF):
		document.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!null"}}
	case err != nil:
		return fmt.Errorf("the value of %s must be YAML: %s", origin.name(), strings.TrimPrefix(err.Error(), "yaml: "))
	case !errors.Is(decoder.Decode(new(yaml.Node)), io.EOF):
		return fmt.Errorf("the value of %s must be one YAML document", origin.name())
	}
	root := document.Content[0]
	if anchored(root) {
		return fmt.Errorf("the value of %s must not use YAML anchors", origin.name())
	}
	e.settle(root, node, origin)
	root.HeadComment, root.LineComment, root.FootComment = node.HeadComment, node.LineComment, node.FootComment
	*node = *root
	e.moveRecord(root, node)
	return nil
}

// settle gives a grafted tree the place of the directive, and records where each node really stands.
func (e *Expander) settle(tree, directive *yaml.Node, origin Origin) {
	origin.Start, origin.End = 0, len(tree.Value)
	origin.Line, origin.Column = tree.Line, tree.Column
	origin.Encoded = true
	e.record(tree, []Origin{origin})
	tree.Line, tree.Column = directive.Line, directive.Column
	for _, content := range tree.Content {
		e.settle(content, directive, origin)
	}
}

func (e *Expander) moveRecord(from, to *yaml.Node) {
	if origins, ok := e.Origins[from]; ok {
		delete(e.Origins, from)
		e.Origins[to] = origins
	}
}

// anchored tells whether a tree uses anchors: their names could be those of the document's own.
func anchored(node *yaml.Node) bool {
	if node.Anchor != "" || node.Kind == yaml.AliasNode {
		return true
	}
	for _, content := range node.Content {
		if anchored(content) {
			return true
		}
	}
	return false
}

func (o Origin) name() string {
	if o.File != "" {
		return fmt.Sprintf("%q", o.File)
	}
	return fmt.Sprintf("variable %q", o.Variable)
}

// styleOf chooses how a filled-in string is written: as text of several lines where that is safe, else quoted, so that
// a number stays a string to every reader.
func styleOf(written yaml.Style, value string) yaml.Style {
	if literalSafe(value) {
		return yaml.LiteralStyle
	}
	if written == yaml.SingleQuotedStyle && !strings.ContainsAny(value, "\n\r") {
		return written
	}
	return yaml.DoubleQuotedStyle
}

// literalSafe tells whether every YAML reader gets value back from a literal block: several lines, no blank in front of
// the first, no breaks but newlines, and no control characters.
func literalSafe(value string) bool {
	if !strings.Contains(value, "\n") || strings.ContainsAny(value[:1], " \t\n") {
		return false
	}
	return !strings.ContainsFunc(value, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0xa0 ||
			r == 0x2028 || r == 0x2029 || r == 0xfeff || r > 0xfffd
	})
}
