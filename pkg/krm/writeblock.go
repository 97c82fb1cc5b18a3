package krm

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/internal/scan"
)

// writeBlock writes the changes into the bytes of a block-style list. Without new results, those of the input stay.
func (l *ResourceList) writeBlock(out *output, p plan, all []*yaml.Node) error {
	out.column, out.lineEnd = l.layout.Column, l.layout.LineEnd
	results, err := resultsField(all)
	if err != nil {
		return err
	}
	for n := range l.layout.Fields {
		field := &l.layout.Fields[n]
		switch {
		case field.Name == "items":
			if err := l.writeItems(out, p, field); err != nil {
				return err
			}
		case field.Name == "results" && len(results) > 0:
			out.replace(field.Start, field.End)
			out.addText(results)
			results = nil
		}
	}
	end := l.layout.End
	if l.layout.Field("items") == nil {
		added, err := elements(p.added)
		if err != nil {
			return err
		}
		out.replace(end, end)
		if len(added) == 0 {
			out.addText([]byte("items: []\n"))
		} else {
			out.addText([]byte("items:\n"))
		}
		out.replace(end, end, added...)
	}
	out.replace(end, end)
	out.addText(results)
	return nil
}

// elements prints items on all cores.
func elements(items []*Item) ([]piece, error) {
	pieces := make([]piece, len(items))
	return pieces, onAllCores(len(items), func(i int) (err error) {
		pieces[i].element = true
		pieces[i].text, err = items[i].Bytes()
		return err
	})
}

// writeItems writes the field `items`.
func (l *ResourceList) writeItems(out *output, p plan, field *scan.Field) error {
	kept, err := l.changedItems(p)
	if err != nil {
		return err
	}
	added, err := elements(p.added)
	if err != nil {
		return err
	}
	if len(l.read) == 0 {
		if len(added) == 0 && !l.hasItems() {
			out.replace(field.Value, field.Value+emptyValueSize(l.src[field.Value:field.End]), piece{text: []byte(" []")})
		}
		if len(added) > 0 {
			out.replace(field.Value, field.Value+emptyValueSize(l.src[field.Value:field.End]))
			out.replace(field.End, field.End, added...)
		}
		return nil
	}
	if len(l.items) == 0 {
		out.replace(field.Value, field.Value, piece{text: []byte(" []")})
	}
	for n, item := range l.layout.Items {
		switch {
		case p.kept[n] == nil:
			out.replace(l.headOf(n), item.End)
		case kept[n].text != nil:
			out.replace(item.Start, item.End, kept[n])
		}
	}
	end := l.layout.Items[len(l.read)-1].End
	out.replace(end, end, added...)
	return nil
}

// changedItems prints the changed items, by slot, on all cores.
func (l *ResourceList) changedItems(p plan) ([]piece, error) {
	pieces := make([]piece, len(l.read))
	var slots []int
	for n, item := range p.kept {
		if item != nil && !item.isAsRead() {
			slots = append(slots, n)
		}
	}
	return pieces, onAllCores(len(slots), func(i int) error {
		n := slots[i]
		text, err := p.kept[n].Bytes()
		if err != nil {
			return err
		}
		if old := l.read[n]; old != p.kept[n] && old.isAsRead() {
			if before, err := old.Bytes(); err == nil && bytes.Equal(before, text) {
				return nil
			}
		}
		pieces[n] = piece{text: text, element: true}
		return nil
	})
}

// emptyValueSize returns the length of the `[]` or null at the start of a value, with the space before it.
func emptyValueSize(value []byte) int {
	from := scan.Indentation(value)
	if strings.IndexByte("#\r\n", value[from]) >= 0 {
		return 0
	}
	return from + bytes.IndexAny(value[from:], " \r\n")
}

// headOf returns the start of an item, including the comments directly above it. Deeper comments belong to the previous
// item.
func (l *ResourceList) headOf(n int) int {
	start, floor := l.layout.Items[n].Start, l.layout.Field("items").Start
	if n > 0 {
		floor = l.layout.Items[n-1].End
	}
	for start > floor {
		above := bytes.LastIndexByte(l.src[:start-1], '\n') + 1
		line := l.src[above:start]
		at := scan.Indentation(line)
		if above < floor || at > l.layout.Column || line[at] != '#' {
			break
		}
		start = above
	}
	return start
}
