package load

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Places finds the nodes of one document in its file, or in one that it embeds. It is the krm.Source of the document's
// items.
type Places struct {
	file  string
	text  *edit.Text // of the document
	above int        // the number of lines above those that nodes count

	origins  map[*yaml.Node][]Origin
	before   map[*yaml.Node]string // values before a template was filled in
	embedded map[string]*edit.Text
}

// NewPlaces returns the places of a JSON file.
func NewPlaces(file string, text []byte) *Places {
	return newPlaces(file, chunk{text: text, isJSON: true})
}

// Splice adds a tree that is read from another file.
func (p *Places) Splice(root *yaml.Node, file string, text []byte) {
	if p.origins == nil {
		p.origins, p.embedded = map[*yaml.Node][]Origin{}, map[string]*edit.Text{}
	}
	p.embedded[file] = edit.NewFile(file, text)
	var each func(*yaml.Node)
	each = func(node *yaml.Node) {
		p.origins[node] = []Origin{{File: file, Line: node.Line, Column: node.Column}}
		for _, child := range node.Content {
			each(child)
		}
	}
	each(root)
}

func newPlaces(file string, of chunk) *Places {
	if of.isJSON {
		return &Places{file: file, text: edit.NewFile(file, of.text)}
	}
	return &Places{file: file, text: edit.New(of.text, of.line)}
}

// fill adds the results of a template's directives.
func (p *Places) fill(e *Expander, files map[string][]byte) {
	p.origins, p.before = e.Origins, e.Written
	p.embedded = make(map[string]*edit.Text, len(files))
	for name, content := range files {
		p.embedded[name] = edit.NewFile(name, content)
	}
}

// Place returns where a node begins. That of a tree which was embedded as YAML is in the embedded file.
func (p *Places) Place(node *yaml.Node) krm.Place {
	if origin := p.spliced(node); origin != nil && origin.File != "" {
		return krm.Place{File: origin.File, Line: origin.Line, Column: origin.Column}
	}
	return krm.Place{File: p.file, Line: p.above + node.Line, Column: node.Column}
}

// spliced returns the origin of a node that is part of a tree which took a directive's place, nil for other nodes.
func (p *Places) spliced(node *yaml.Node) *Origin {
	if _, filled := p.before[node]; filled || len(p.origins[node]) == 0 {
		return nil
	}
	return &p.origins[node][0]
}

// Inside returns where a line and a column of a scalar's value are written. The value of a variable is not
// written in any file.
func (p *Places) Inside(node *yaml.Node, line, column int) (krm.Place, bool) {
	at, place := edit.ByteAt(node.Value, line, column), p.Place(node)
	before, filled := p.before[node]
	if !filled {
		text := p.text
		if origin := p.spliced(node); origin != nil {
			text = p.embedded[origin.File]
		}
		return locate(text, place, node.Value, at)
	}
	last := Origin{}
	for _, part := range p.origins[node] {
		if at < part.Start {
			break
		}
		last = part
		if at > part.End || at == part.End && at < len(node.Value) {
			continue
		}
		text := p.embedded[part.File]
		if text == nil || part.Encoded {
			place, _ := locate(p.text, place, before, part.From)
			return place, false
		}
		line, column := text.Position(at - part.Start)
		return krm.Place{File: part.File, Line: line, Column: column}, true
	}
	return locate(p.text, place, before, last.To+at-last.End)
}

// Texts returns the document and the files that it embeds, sorted by name.
func (p *Places) Texts() []krm.Text {
	if p.text == nil {
		return nil
	}
	texts := []krm.Text{p.text.Of(p.file)}
	for _, file := range slices.Sorted(maps.Keys(p.embedded)) {
		texts = append(texts, p.embedded[file].Of(file))
	}
	return texts
}

// locate returns the place of a byte of a value that is written at a place of a text; nil is the text of a variable.
func locate(text *edit.Text, place krm.Place, value string, at int) (krm.Place, bool) {
	if text == nil {
		return place, false
	}
	scalar, ok := text.Scalar(place.Line, place.Column, value)
	if ok {
		place.Line, place.Column = text.Position(scalar.Offset(at))
	}
	return place, ok
}
