package krm

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// cutter finds the places of a tree's nodes in the bytes of its object, and collects what is cut into them. Where it is
// not sure of a place it gives up.
type cutter struct {
	src     []byte
	starts  []int // of the lines
	eol     string
	patches []patch
	careful bool // what comes out is to be checked
	above   int  // how many lines are above src in the text that the nodes' lines count from
}

func newCutter(src []byte, eol string, above int) *cutter {
	c := &cutter{src: src, eol: eol, above: above, starts: make([]int, 1, 64)}
	for at := range src {
		if src[at] == '\n' {
			c.starts = append(c.starts, at+1)
		}
	}
	return c
}

func (c *cutter) cut(from, to int, text string) { c.patches = append(c.patches, patch{from, to, text}) }

// offset returns where a node starts.
func (c *cutter) offset(node *yaml.Node) (int, bool) {
	if node.Line <= c.above || node.Line-c.above > len(c.starts) {
		return 0, false
	}
	at := c.lineStart(node)
	for range node.Column - 1 {
		_, size := utf8.DecodeRune(c.src[at:])
		at += size
	}
	return at, at <= len(c.src)
}

func (c *cutter) lineStart(node *yaml.Node) int { return c.starts[node.Line-c.above-1] }

// lineFrom returns a reader behind the line that holds the offset, the line, and the offset's place in it.
func (c *cutter) lineFrom(node *yaml.Node) (reader lines, line []byte, at int, ok bool) {
	offset, ok := c.offset(node)
	if !ok || offset >= len(c.src) {
		return reader, nil, 0, false
	}
	reader = lines{src: c.src, pos: c.lineStart(node)}
	line, ok = reader.next()
	at = offset - reader.at
	return reader, line, at, ok && at < len(line)
}

// extent returns the bytes of a scalar or of a flow collection, whose parent's column is indent.
func (c *cutter) extent(node *yaml.Node, indent int) (from, to int, ok bool) {
	if isImplicit(node) {
		from, ok = c.offset(node)
		return from, from, ok && from > 0 && (c.src[from-1] == ':' || c.src[from-1] == '-')
	}
	reader, line, at, ok := c.lineFrom(node)
	if !ok {
		return 0, 0, false
	}
	from = reader.at + at
	if node.Kind != yaml.ScalarNode {
		c.careful = true
		if line[at] != '[' && line[at] != '{' {
			return 0, 0, false
		}
		to, ok = flow(line, at, 0)
		return from, reader.at + to, ok
	}
	to, ok = c.scalarEnd(node, &reader, line, at, indent)
	return from, to, ok
}

// scalarEnd returns the end of the scalar that starts at line[at], the line that the reader took last.
func (c *cutter) scalarEnd(node *yaml.Node, reader *lines, line []byte, at, indent int) (to int, ok bool) {
	switch first := line[at]; {
	case node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && (first == '"' || first == '\''):
		_, to, ok = reader.quoted(line, at)
		return reader.at + to, ok
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && (first == '|' || first == '>'):
		to, ok = reader.block(line, at, indent)
		return len(bytes.TrimRight(c.src[:to], "\r\n")), ok
	case node.Style == 0 && startsPlain(line, at):
		return c.plainEnd(reader, line, at, indent, node.Value), true
	}
	return 0, false
}

// isImplicit tells whether a node is a null that nobody wrote.
func isImplicit(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Value == "" && node.Style == 0 && node.Anchor == ""
}

// plainEnd returns the end of a plain scalar that starts at line[at].
func (c *cutter) plainEnd(reader *lines, line []byte, at, indent int, value string) int {
	if bytes.HasPrefix(line[at:], []byte(value)) {
		return reader.at + at + len(value)
	}
	c.careful = true
	for {
		end, comment, ok := plain(line, at)
		to := reader.at + end
		if !ok || comment {
			return to
		}
		for line, ok = reader.next(); ok && indentation(line) == len(line); line, ok = reader.next() {
			continue
		}
		if !ok || indentation(line) <= indent || line[indentation(line)] == '#' {
			return to
		}
		at = indentation(line)
	}
}

// behind returns where the line behind a node's last content line starts. Its parent's column is indent.
func (c *cutter) behind(node *yaml.Node, indent int) (int, bool) {
	if node.Kind == yaml.AliasNode || node.Anchor != "" || node.Style&yaml.TaggedStyle != 0 {
		return 0, false
	}
	if node.Kind != yaml.ScalarNode && node.Style&yaml.FlowStyle == 0 {
		if len(node.Content) == 0 {
			return 0, false
		}
		return c.behind(node.Content[len(node.Content)-1], node.Column-1)
	}
	if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		reader, line, at, ok := c.lineFrom(node)
		if !ok {
			return 0, false
		}
		return reader.block(line, at, indent)
	}
	_, to, ok := c.extent(node, indent)
	return c.nextLine(to), ok
}

// nextLine returns where the line behind the one that holds the offset starts.
func (c *cutter) nextLine(offset int) int {
	size := bytes.IndexByte(c.src[offset:], '\n')
	if size < 0 {
		return len(c.src)
	}
	return offset + size + 1
}

// insert puts whole lines at the start of a line.
func (c *cutter) insert(at int, lines ...string) {
	text := strings.Join(lines, c.eol) + c.eol
	if at > 0 && c.src[at-1] != '\n' {
		c.careful = true
		text = c.eol + text
	}
	c.cut(at, at, text)
}

// lineOf returns the start of the line that a key stands in alone, behind nothing but its indentation.
func (c *cutter) lineOf(key *yaml.Node) (int, bool) {
	offset, ok := c.offset(key)
	if !ok {
		return 0, false
	}
	start := c.lineStart(key)
	return start, len(bytes.Trim(c.src[start:offset], " ")) == 0
}
