package htmlreport

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// mask is the hidden parts of a file.
type mask struct {
	text *edit.Text
	// from is the column from which a line is hidden, from 0 in characters.
	from map[int]int
	// written are the parts of documents that could be read; nil if the file has no document. All others are hidden.
	written *written
}

// masksOf returns the hidden parts of a file.
func (v *values) masksOf(file string) *mask {
	if m, known := v.masks[file]; known {
		return m
	}
	m := &mask{text: v.files.Text(file), from: map[int]int{}}
	v.masks[file] = m
	for _, item := range v.items {
		if m.text == nil || item.PlaceOf("").File != file {
			continue
		}
		if m.written == nil {
			m.written = &written{text: m.text, scalars: map[int][]part{}, words: map[string]bool{}, comments: map[string]bool{}}
		}
		m.written.add(item.YNode())
		nodes, overlays := hiddenScalars(item)
		for _, node := range nodes {
			m.hide(node)
		}
		for _, overlay := range overlays {
			m.hideInside(overlay)
		}
	}
	return m
}

// column returns the column from which a line is hidden, and whether a part of it is.
func (m *mask) column(number int) (from int, masked bool) {
	from, masked = m.from[number]
	if m.written == nil {
		return from, masked
	}
	unknown, found := m.written.unknown(number)
	if masked && found {
		return min(from, unknown), true
	}
	return max(from, unknown), masked || found
}

// last returns the last line of a scalar.
func (m *mask) last(node *yaml.Node) int {
	last := node.Line + strings.Count(node.Value, "\n")
	if scalar, found := m.text.Scalar(node.Line, node.Column, node.Value); found {
		last, _ = m.text.Position(scalar.End)
	}
	return last
}

// hide hides a scalar from its first character to the end of its last line.
func (m *mask) hide(node *yaml.Node) { m.lines(node.Line, node.Column-1, m.last(node)) }

func (m *mask) lines(first, column, last int) {
	if from, known := m.from[first]; !known || column < from {
		m.from[first] = max(0, column)
	}
	for line := first + 1; line <= last; line++ {
		m.from[line] = 0
	}
}

// hideInside hides values in an overlay that is a literal block, in whose lines the lines of its text can be found, and any
// other overlay as a whole.
func (m *mask) hideInside(overlay *yaml.Node) {
	nodes, isYAML := hiddenInside(overlay)
	indent, isBlock := m.indentOf(overlay)
	if !isYAML || !isBlock {
		if len(nodes) > 0 || !isYAML {
			m.hide(overlay)
		}
		return
	}
	inner := &mask{text: edit.New([]byte(overlay.Value), 0)}
	for _, node := range nodes {
		m.lines(overlay.Line+node.Line, indent+node.Column-1, overlay.Line+inner.last(node))
	}
}

// indentOf returns the indentation of the lines of a literal block, false for any other scalar.
func (m *mask) indentOf(node *yaml.Node) (indent int, ok bool) {
	if node.Style&yaml.LiteralStyle == 0 {
		return 0, false
	}
	number := node.Line
	for line := range strings.Lines(node.Value) {
		number++
		written := strings.TrimRight(string(m.text.Line(number)), "\r\n")
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if !strings.HasSuffix(written, line) || strings.TrimSpace(written) != strings.TrimSpace(line) {
			return 0, false
		}
		indent, ok = len(written)-len(line), true
	}
	return indent, ok
}

// hiddenOf returns the hidden scalars of an item, those inside overlays included.
func (v *values) hiddenOf(item *krm.Item) map[*yaml.Node][]*yaml.Node {
	if known := v.hidden[item]; known != nil {
		return known
	}
	all := map[*yaml.Node][]*yaml.Node{}
	nodes, overlays := hiddenScalars(item)
	for _, node := range nodes {
		all[node] = []*yaml.Node{node}
	}
	for _, overlay := range overlays {
		if inside, isYAML := hiddenInside(overlay); isYAML {
			all[overlay] = inside
		} else {
			all[overlay] = []*yaml.Node{overlay}
		}
	}
	v.hidden[item] = all
	return all
}
