package rplug

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// comments are the comments of a document at the lines of another one, which has the same values and new ones.
type comments struct {
	above, behind, below map[int][]string
}

// withComments returns a printed document with the comments that an older state of it has, at the same keys and elements.
// A comment whose value is gone is dropped.
func withComments(older, printed []byte) []byte {
	var from, to yaml.Node
	if yaml.Unmarshal(older, &from) != nil || yaml.Unmarshal(printed, &to) != nil {
		return printed
	}
	c := comments{map[int][]string{}, map[int][]string{}, map[int][]string{}}
	c.carry(&from, &to, lastLine(&to))
	var out bytes.Buffer
	number := 0
	for line := range strings.Lines(string(printed)) {
		number++
		margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for _, comment := range c.above[number] {
			out.WriteString(margin + comment + "\n")
		}
		out.WriteString(strings.Join(append([]string{strings.TrimSuffix(line, "\n")}, c.behind[number]...), " ") + "\n")
		for _, comment := range c.below[number] {
			out.WriteString(comment + "\n")
		}
	}
	return out.Bytes()
}

// carry carries the comments of a node, whose value ends in a line, and of all below it.
func (c *comments) carry(from, to *yaml.Node, last int) {
	line := max(to.Line, 1)
	for comment := range strings.Lines(from.HeadComment) {
		c.add(c.above, line, comment)
	}
	c.add(c.behind, line, from.LineComment)
	for comment := range strings.Lines(from.FootComment) {
		c.add(c.below, last, strings.Repeat(" ", max(to.Column-1, 0))+strings.TrimSpace(comment))
	}
	switch {
	case from.Kind != to.Kind:
	case to.Kind == yaml.DocumentNode:
		c.carry(from.Content[0], to.Content[0], last)
	case to.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(to.Content); i += 2 {
			if at := keyIndex(from, to.Content[i].Value); at >= 0 {
				end := lastLine(to.Content[i+1])
				c.carry(from.Content[at], to.Content[i], end)
				c.carry(from.Content[at+1], to.Content[i+1], end)
			}
		}
	case to.Kind == yaml.SequenceNode:
		for _, element := range to.Content {
			isSame := func(one *yaml.Node) bool { return identity(one) == identity(element) }
			if at := slices.IndexFunc(from.Content, isSame); at >= 0 {
				c.carry(from.Content[at], element, lastLine(element))
			}
		}
	}
}

func (c *comments) add(to map[int][]string, line int, comment string) {
	if comment = strings.TrimRight(comment, "\n"); strings.TrimSpace(comment) != "" {
		to[line] = append(to[line], comment)
	}
}

// keyIndex returns the index of a key of a mapping, -1 if it has none.
func keyIndex(mapping *yaml.Node, key string) int {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// identity returns the text that identifies an element of a list of a catalog.
func identity(element *yaml.Node) string {
	for _, key := range []string{"name", "version"} {
		if value := krm.Value(element, key); value != nil {
			return key + " " + value.Value
		}
	}
	return element.Value
}

// lastLine returns the last line of a node.
func lastLine(node *yaml.Node) int {
	last := node.Line
	for _, below := range node.Content {
		last = max(last, lastLine(below))
	}
	return last
}
