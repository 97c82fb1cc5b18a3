package krm

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// encode prints a tree without aliases as block YAML, indented by two columns, with lists not indented below their key.
// Comments and styles are kept as far as the printer can; where it prints something else than the tree says, they go.
func encode(node *yaml.Node) ([]byte, error) {
	if text, ok := printSurely(node); ok {
		return text, nil
	}
	text, err := printTree(node)
	if err == nil && (isTame(node) || reads(text, node)) {
		return text, nil
	}
	bare, err := expand(node)
	if err != nil {
		return nil, err
	}
	strip(bare)
	if text, err = printTree(bare); err != nil {
		return nil, err
	}
	if !reads(text, node) {
		return nil, errors.New("the object cannot be written as YAML")
	}
	return text, nil
}

// isTame tells whether a tree is of the plain kind that the printer is certain to get right: one without comments, block
// scalars, tags, nulls that nobody wrote, and keys that are not names of fields, labels or annotations.
func isTame(node *yaml.Node) bool {
	const untamed = yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	if node.Style&untamed != 0 || node.HeadComment != "" || node.LineComment != "" || node.FootComment != "" {
		return false
	}
	for n, child := range node.Content {
		isKey := node.Kind == yaml.MappingNode && n%2 == 0
		if isKey && !isName(child.Value) || !isTame(child) {
			return false
		}
	}
	return node.Kind != yaml.ScalarNode || !isImplicit(node) && clean([]byte(node.Value))
}

// isName tells whether a key is a word, or a name with dots and slashes as labels and annotations have.
func isName(key string) bool {
	const longest = 128 // of a key that yaml.v3 prints without a question mark
	for i := range len(key) {
		if c := key[i]; !isWordByte(c) && (i == 0 || c != '.' && c != '/') {
			return false
		}
	}
	return key != "" && len(key) <= longest
}

func printTree(node *yaml.Node) (text []byte, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			text, err = nil, fmt.Errorf("the object cannot be written as YAML: %v", crash)
		}
	}()
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(node); err != nil {
		return nil, notYAML(err)
	}
	return out.Bytes(), encoder.Close()
}

func reads(text []byte, node *yaml.Node) bool {
	read, err := parseOne(text)
	return err == nil && same(read, node)
}

// strip takes comments and styles off a tree; strings are quoted and nulls spelled out, so that they stay what
// they are.
func strip(node *yaml.Node) {
	node.HeadComment, node.LineComment, node.FootComment = "", "", ""
	node.Style &= yaml.TaggedStyle
	switch node.ShortTag() {
	case "!!str":
		node.Style = yaml.DoubleQuotedStyle
	case "!!null":
		node.Value = "null"
	}
	for _, child := range node.Content {
		strip(child)
	}
}

// eachLine gives the lines of a text with their ends.
func eachLine(text []byte, do func(line []byte)) {
	for len(text) > 0 {
		size := bytes.IndexByte(text, '\n') + 1
		if size == 0 {
			size = len(text)
		}
		do(text[:size])
		text = text[size:]
	}
}

// indentItem writes an object in block style as an item of a list whose dashes are at column.
func indentItem(to, text []byte, column int, eol string) []byte {
	lead := "- "
	eachLine(text, func(line []byte) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > 0 {
			to = append(to, spaces(column)...)
			to = append(to, lead...)
			lead = "  "
		}
		to = append(append(to, line...), eol...)
	})
	return to
}

// dedent takes the dash and the indentation off an item, whose keys are at column.
func dedent(text []byte, dash, column int, eol string) []byte {
	out := make([]byte, 0, len(text))
	first := true
	eachLine(text, func(line []byte) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if eol == "\r\n" {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		if first {
			first = false
			line = append([]byte(spaces(dash+1)), line[dash+1:]...)
			if indentation(line) == len(line) {
				return
			}
		}
		out = append(append(out, line[min(indentation(line), column):]...), '\n')
	})
	return out
}

func spaces(n int) string {
	const many = "                                "
	if n <= len(many) {
		return many[:n]
	}
	return many + spaces(n-len(many))
}
