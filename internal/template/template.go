// Package template fills in the directives that native plugin and sandbox files are written with: `@{name}` stands for
// a variable's value, `@{embed: file}` for a file beside the document.
//
// Directives are looked for in the string values of a parsed tree, never in keys, and what they give is not looked at
// again: a script that is embedded may hold `@{…}` of its own. There is no escape.
package template

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Limits of what a template may grow to.
const (
	// MaxFile is the largest file that is embedded: no ConfigMap holds more.
	MaxFile = 1 << 20
	// MaxDocument is how much text the directives of one document may give together.
	MaxDocument = 16 << 20
)

// Rule is the id of every problem that this package reports.
const Rule = "template"

// Files gives the files that a document embeds.
type Files interface {
	// Embed returns the content of the file that a directive names, and its path for people. The error's text says what
	// must be different; MaxFile is for Embed to enforce.
	Embed(name string) (content []byte, path string, err error)
}

// Expander fills in the directives of one document. Its zero value knows no variable and no file.
type Expander struct {
	// Values holds the variables. A variable that no directive names is fine.
	Values map[string]string
	// Files gives what is embedded; nil refuses every embed.
	Files Files

	// Problems are the errors found so far, in document order. A variable without a value is reported once.
	Problems []strictyaml.Problem
	// Failed are the values with a problem. They are left as they were written.
	Failed []*yaml.Node
	// Origins tell of each value that was filled in where its parts came from, and Written what was written instead of
	// it. Of a tree that took a directive's place there is an origin for each of its nodes, and nothing was written.
	Origins map[*yaml.Node][]Origin
	Written map[*yaml.Node]string

	missing map[string]bool
	size    int
}

// Origin says where a part of a value came from: a variable, or a file.
type Origin struct {
	// Start and End bound the part within the value, and From and To the directive within what was written, in bytes.
	Start, End int
	From, To   int
	// Variable is the variable's name, empty for a file.
	Variable string
	// File is the embedded file as Files calls it, and Line and Column where in it the part starts, counted from 1.
	File         string
	Line, Column int
	// Encoded tells that the part is not the text of the file or the variable, but stands for it: as base64, or as a node
	// of the tree that the text is.
	Encoded bool
}

// Expand fills in the directives of the string values of the tree at node, which base names in problems. Values that
// are aliases are filled in once, where their anchor is.
func (e *Expander) Expand(node *yaml.Node, base krm.Path) {
	switch node.Kind {
	case yaml.DocumentNode:
		for _, content := range node.Content {
			e.Expand(content, base)
		}
	case yaml.SequenceNode:
		for i, element := range node.Content {
			e.Expand(element, base.Index(i))
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			e.Expand(node.Content[i+1], base.Key(node.Content[i].Value))
		}
	case yaml.ScalarNode:
		if node.ShortTag() == "!!str" {
			e.scalar(node, base)
		}
	default: // an alias
	}
}

// scalar fills in one value, or leaves it alone where something is wrong with one of its directives.
func (e *Expander) scalar(node *yaml.Node, path krm.Path) {
	directives := find(node.Value)
	if len(directives) == 0 {
		return
	}
	before := len(e.Problems)
	silent := false
	var b builder
	for _, d := range directives {
		b.text(node.Value[b.read:d.start])
		b.read = d.end
		piece, err := e.piece(d, node.Value)
		switch {
		case errors.Is(err, errReported):
			silent = true
		case err != nil:
			e.report(path, err)
		default:
			piece.origin.From, piece.origin.To = d.start, d.end
			b.piece(piece)
		}
	}
	if silent || len(e.Problems) > before {
		e.Failed = append(e.Failed, node)
		return
	}
	b.text(node.Value[b.read:])
	e.replace(node, path, &b)
}

// replace puts what was built into the node.
func (e *Expander) replace(node *yaml.Node, path krm.Path, b *builder) {
	if b.tree {
		if err := e.graft(node, b.out.String(), b.origins[0]); err != nil {
			e.report(path, err)
			e.Failed = append(e.Failed, node)
		}
		return
	}
	if e.Written == nil {
		e.Written = map[*yaml.Node]string{}
	}
	e.Written[node] = node.Value
	value := b.out.String()
	node.Value, node.Style = value, styleOf(node.Style, value)
	e.record(node, b.origins)
}

func (e *Expander) record(node *yaml.Node, origins []Origin) {
	if e.Origins == nil {
		e.Origins = map[*yaml.Node][]Origin{}
	}
	e.Origins[node] = origins
}

func (e *Expander) report(path krm.Path, err error) {
	e.Problems = append(e.Problems,
		strictyaml.Problem{Rule: Rule, Severity: krm.Error, Path: path, Message: err.Error()})
}

// grow counts text against MaxDocument, so that few bytes cannot become many.
func (e *Expander) grow(text string) error {
	if e.size > MaxDocument {
		return errReported
	}
	if e.size += len(text); e.size > MaxDocument {
		return fmt.Errorf("directives must not give more than %d bytes in one document", MaxDocument)
	}
	if !utf8.ValidString(text) {
		return errNotText
	}
	return nil
}
