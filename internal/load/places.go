package load

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/template"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// places finds the nodes of one document in its file, or in one that it embeds. It is the krm.Source of the document's
// items.
type places struct {
	file  string
	text  *edit.Text // of the document
	above int        // the number of lines above those that nodes count

	origins  map[*yaml.Node][]template.Origin
	before   map[*yaml.Node]string // values before a template was filled in
	embedded map[string]*edit.Text
}

func newPlaces(file string, of chunk) *places {
	return &places{file: file, text: edit.New(of.text, of.line)}
}

// fill adds what a template's directives gave.
func (p *places) fill(e *template.Expander, files map[string][]byte) {
	p.origins, p.before = e.Origins, e.Written
	p.embedded = make(map[string]*edit.Text, len(files))
	for name, content := range files {
		p.embedded[name] = edit.New(content, 0)
	}
}

// Place returns where a node begins. That of a tree which was embedded as YAML is in the embedded file.
func (p *places) Place(node *yaml.Node) krm.Place {
	if origin := p.spliced(node); origin != nil && origin.File != "" {
		return krm.Place{File: origin.File, Line: origin.Line, Column: origin.Column}
	}
	return krm.Place{File: p.file, Line: p.above + node.Line, Column: node.Column}
}

// spliced returns the origin of a node that is part of a tree which took a directive's place, nil for other nodes.
func (p *places) spliced(node *yaml.Node) *template.Origin {
	if _, filled := p.before[node]; filled || len(p.origins[node]) == 0 {
		return nil
	}
	return &p.origins[node][0]
}

// Inside returns where a line and a column of a scalar's value are written. What a variable gave is written in no file.
func (p *places) Inside(node *yaml.Node, line, column int) (krm.Place, bool) {
	at := edit.ByteAt(node.Value, line, column)
	before, filled := p.before[node]
	if !filled {
		return p.inScalar(node, at)
	}
	last := template.Origin{}
	for _, part := range p.origins[node] {
		if at < part.Start {
			break
		}
		last = part
		if at < part.End || at == part.End && at == len(node.Value) {
			return p.inPart(node, before, part, at)
		}
	}
	return locate(p.text, p.file, node, before, last.To+at-last.End)
}

// inScalar finds the byte of a value that no text was filled into.
func (p *places) inScalar(node *yaml.Node, at int) (krm.Place, bool) {
	text, place := p.textOf(node)
	if text == nil {
		return place, false
	}
	own := *node
	own.Line, own.Column = place.Line, place.Column
	return locate(text, place.File, &own, node.Value, at)
}

// inPart finds the byte of a value in the part that a directive gave.
func (p *places) inPart(node *yaml.Node, before string, part template.Origin, at int) (krm.Place, bool) {
	text := p.embedded[part.File]
	if text == nil || part.Encoded {
		place, _ := locate(p.text, p.file, node, before, part.From)
		return place, false
	}
	line, column := text.Position(at - part.Start)
	return krm.Place{File: part.File, Line: line, Column: column}, true
}

// locate returns the place of the byte of a value that is written at a node.
func locate(text *edit.Text, file string, node *yaml.Node, value string, at int) (krm.Place, bool) {
	scalar, ok := text.Scalar(node, value)
	if !ok {
		return krm.Place{File: file, Line: node.Line, Column: node.Column}, false
	}
	line, column := text.Position(scalar.Offset(at))
	return krm.Place{File: file, Line: line, Column: column}, true
}

// textOf returns the text that a node is written in, nil if that is a variable's, and its place.
func (p *places) textOf(node *yaml.Node) (*edit.Text, krm.Place) {
	place := p.Place(node)
	switch origin := p.spliced(node); {
	case origin == nil:
		return p.text, place
	case origin.File == "":
		return nil, place
	default:
		return p.embedded[origin.File], place
	}
}
