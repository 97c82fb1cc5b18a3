package krm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// errEmpty is the error for a text without a document.
var errEmpty = errors.New("there is no document")

// parseOne parses a text with one YAML document, and returns its root. Other, empty documents are ignored.
func parseOne(src []byte) (root *yaml.Node, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			root, err = nil, fmt.Errorf("not YAML: %v", crash)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	for {
		var document yaml.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			if root == nil {
				return nil, errEmpty
			}
			return root, nil
		case err != nil:
			return nil, notYAML(src, err)
		case len(document.Content) != 1 || isEmptyDocument(document.Content[0]):
		case root != nil:
			return nil, documentError{fmt.Errorf("line %d: must be one document, but a second one starts here",
				document.Content[0].Line)}
		default:
			root = document.Content[0]
			takeComments(root, &document)
		}
	}
}

// takeComments moves comments that a blank line separates from the root to it; the parser attaches them to the
// document.
func takeComments(root, document *yaml.Node) {
	if above := document.HeadComment; above != "" && above != root.HeadComment {
		root.HeadComment = strings.TrimSpace(above + "\n\n" + root.HeadComment)
	}
	if root.FootComment == "" {
		root.FootComment = document.FootComment
	}
}

func isEmptyDocument(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Value == "" && node.Style == 0 && node.Anchor == ""
}

func notYAML(src []byte, err error) error {
	if at, name := yamlprint.Refused(src); name != "" { // the parser does not report its position
		line, column := yamlprint.Position(src, at)
		return fmt.Errorf("not YAML: line %d, column %d: control character %s", line, column, name)
	}
	text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "yaml: "), "\n")
	return fmt.Errorf("not YAML: %s", text)
}
