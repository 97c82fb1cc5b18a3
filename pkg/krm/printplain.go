package krm

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxSimpleKey is the length from which on the encoder prints a key with a question mark.
const maxSimpleKey = 128

// plainPrinter prints trees of the plain kind byte for byte as kyaml's encoder does, and ten times as fast: block mappings
// and lists of scalars that fit in a line, with comments above keys and behind values only. Its methods return false for
// any other.
type plainPrinter struct{ out []byte }

// printPlain prints a mapping, false if it is not of the plain kind.
func printPlain(node *yaml.Node) ([]byte, bool) {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 || !isBareBlock(node) {
		return nil, false
	}
	p := plainPrinter{out: make([]byte, 0, 4096)}
	if !p.fields(node, "\n") {
		return nil, false
	}
	return append(bytes.Clone(p.out[1:]), '\n'), true
}

// fields prints a mapping's fields. The indent is a line break with the spaces behind it; the first field stands behind
// the dash that was printed last, if there is one.
func (p *plainPrinter) fields(node *yaml.Node, indent string) bool {
	behindDash := bytes.HasSuffix(p.out, []byte("- "))
	for n := 0; n+1 < len(node.Content); n += 2 {
		key := node.Content[n]
		isFirst := n == 0 && behindDash
		if !isPlainKey(key) || isFirst && key.HeadComment != "" {
			return false
		}
		if key.HeadComment != "" {
			for line := range strings.SplitSeq(key.HeadComment, "\n") {
				if !strings.HasPrefix(line, "#") {
					return false
				}
				p.out = append(append(p.out, indent...), line...)
			}
		}
		if !isFirst {
			p.out = append(p.out, indent...)
		}
		p.out = append(append(p.out, key.Value...), ':')
		if !p.value(node.Content[n+1], indent) {
			return false
		}
	}
	return true
}

// value prints what stands behind a key's colon, or below it.
func (p *plainPrinter) value(node *yaml.Node, indent string) bool {
	switch {
	case isShort(node):
		p.out = append(p.out, ' ')
		return p.short(node)
	case !isBareBlock(node):
		return false
	case node.Kind == yaml.MappingNode:
		return p.fields(node, indent+"  ")
	default:
		p.out = append(append(p.out, indent...), '-', ' ')
		return p.elements(node, indent)
	}
}

// elements prints a list's elements. The first dash is there already.
func (p *plainPrinter) elements(node *yaml.Node, indent string) bool {
	for n, element := range node.Content {
		if n > 0 {
			p.out = append(append(p.out, indent...), '-', ' ')
		}
		ok := false
		switch {
		case isShort(element):
			ok = p.short(element)
		case !isBareBlock(element):
		case element.Kind == yaml.MappingNode:
			ok = p.fields(element, indent+"  ")
		default:
			p.out = append(p.out, '-', ' ')
			ok = p.elements(element, indent+"  ")
		}
		if !ok {
			return false
		}
	}
	return true
}

// short prints an empty collection, or a scalar with the comment behind it.
func (p *plainPrinter) short(node *yaml.Node) bool {
	if node.Anchor != "" || node.HeadComment != "" || node.FootComment != "" {
		return false
	}
	text, ok := plainScalar(node)
	p.out = append(p.out, text...)
	if comment := node.LineComment; comment != "" {
		ok = ok && comment[0] == '#' && !strings.Contains(comment, "\n")
		p.out = append(append(p.out, ' '), comment...)
	}
	return ok
}

// isShort reports whether a node stands on its key's line.
func isShort(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode || len(node.Content) == 0 }

// isBareBlock reports whether there is nothing to a mapping or list in block style but what is in it.
func isBareBlock(node *yaml.Node) bool {
	usual := node.Kind == yaml.MappingNode && (node.Tag == "" || node.Tag == "!!map") ||
		node.Kind == yaml.SequenceNode && (node.Tag == "" || node.Tag == "!!seq")
	return usual && node.Style == 0 && node.Anchor == "" &&
		node.HeadComment == "" && node.LineComment == "" && node.FootComment == ""
}

// isPlainKey reports whether a key stands as it is; the comment above it is not looked at.
func isPlainKey(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Style == 0 && (key.Tag == "" || key.Tag == stringTag) && key.Anchor == "" &&
		key.LineComment == "" && key.FootComment == "" && len(key.Value) <= maxSimpleKey && isPlain(key.Value)
}

// plainScalar returns an empty collection or a scalar as it is printed on one line.
func plainScalar(node *yaml.Node) (string, bool) {
	isString := node.Tag == "" || node.Tag == stringTag
	switch {
	case node.Kind != yaml.ScalarNode:
	case node.Style == 0 && (isString && isPlainText(node.Value) || node.Tag == "!!int" && isDecimal(node.Value)):
		return node.Value, true
	case isString && node.Style == yaml.DoubleQuotedStyle && isUnescaped(node.Value, `"\`):
		return `"` + node.Value + `"`, true
	case isString && node.Style == yaml.SingleQuotedStyle && isUnescaped(node.Value, "'"):
		return "'" + node.Value + "'", true
	}
	key, value := &yaml.Node{Kind: yaml.ScalarNode, Value: "k"}, *node
	value.LineComment = ""
	text, err := printTree(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, &value}})
	line, ok := bytes.CutPrefix(text, []byte("k: "))
	if err != nil || !ok || bytes.IndexByte(line, '\n') != len(line)-1 {
		return "", false
	}
	return string(line[:len(line)-1]), true
}

// isPlainText reports whether a value stands without quotes in block style: one plain word, or several.
func isPlainText(text string) bool {
	if isPlain(text) {
		return true
	}
	words := strings.Split(text, " ")
	for _, word := range words {
		if !isPlain("a"+word) || word == "" {
			return false
		}
	}
	return len(words) > 1 && isLetter(text[0])
}

func isDecimal(text string) bool {
	number, err := strconv.Atoi(text)
	return err == nil && strconv.Itoa(number) == text
}

// isUnescaped reports whether a text is printable ASCII without the characters.
func isUnescaped(text, without string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return !strings.ContainsAny(text, without)
}
