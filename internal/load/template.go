package load

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Limits of the growth of a template.
const (
	// MaxEmbedded is the largest file that is embedded: a ConfigMap cannot hold more.
	MaxEmbedded = 1 << 20
	// MaxInserted is the most text that the directives of one document may insert together.
	MaxInserted = 16 << 20
	// MaxInsertedTotal is the most text that the directives of all documents may insert together.
	MaxInsertedTotal = 128 << 20
)

// RuleTemplate is the id of every problem of a directive.
const RuleTemplate = "template"

// Embedder reads the files that a document embeds.
type Embedder interface {
	// Embed returns the content of the file that a directive names, and its path for messages. The error states
	// the required change. Embed must enforce MaxEmbedded.
	Embed(name string) (content []byte, path string, err error)
}

// Expander fills in the directives of one native document: it replaces `@{name}` with a variable's value, and `@{embed:
// file}` with a file next to the document. Its zero value has no variables and no files.
//
// Directives are recognised in the string values of a parsed tree, never in keys, and not in inserted text: an embedded
// script may contain `@{…}`. There is no escape.
type Expander struct {
	// Values holds the variables. Unused variables are allowed.
	Values map[string]string
	// Files reads embedded files; if it is nil, every embed is an error.
	Files Embedder
	// KeepUnset allows variables without a value, unless the name is likely meant as git's syntax.
	KeepUnset bool

	// Problems are the errors so far, in document order. A variable without a value is reported once.
	Problems []strictyaml.Problem
	// Failed are the values with a problem or a variable without a value. They are not changed.
	Failed []*yaml.Node
	// Origins holds the origins of the parts of each filled-in value, and Written its previous value. A tree that
	// replaced a directive has an origin for each of its nodes, and nothing in Written.
	Origins map[*yaml.Node][]Origin
	Written map[*yaml.Node]string

	missing map[string]bool
	size    int
	shared  *inserts // with other documents; nil if it is not shared
}

// Unset returns the document's variables without a value, sorted.
func (e *Expander) Unset() []string { return slices.Sorted(maps.Keys(e.missing)) }

// Origin is the origin of a part of a value: a variable, or a file.
type Origin struct {
	// Start and End are the bounds of the part within the value, and From and To those of the directive within the
	// previous value, in bytes.
	Start, End int
	From, To   int
	// Variable is the variable's name, empty for a file.
	Variable string
	// File is the embedded file as Files names it, and Line and Column the start of the part in it, counted from 1.
	File         string
	Line, Column int
	// Encoded reports that the part is not the text of the file or the variable itself, but its base64, or a node of
	// its tree.
	Encoded bool
}

// Expand fills in the directives of the string values of the tree at node, whose path in problems is base. Aliased
// values are filled in once, at their anchor.
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

// scalar fills in one value. It does not change a value if one of its directives has a problem.
func (e *Expander) scalar(node *yaml.Node, path krm.Path) {
	matches := directivePattern().FindAllStringIndex(node.Value, -1)
	if matches == nil {
		return
	}
	var out strings.Builder
	var origins []Origin
	tree, failed, at := false, false, 0
	for _, match := range matches {
		out.WriteString(node.Value[at:match[0]])
		at = match[1]
		s, err := e.substitute(node.Value[match[0]:at], node.Value)
		if err != nil {
			failed = true
			e.report(path, err)
			continue
		}
		s.origin.From, s.origin.To = match[0], match[1]
		s.origin.Start = out.Len()
		out.WriteString(s.text)
		s.origin.End = out.Len()
		origins = append(origins, s.origin)
		tree = s.tree
	}
	out.WriteString(node.Value[at:])
	if !failed && tree {
		if err := e.splice(node, out.String(), origins[0]); err != nil {
			failed = true
			e.report(path, err)
		}
	} else if !failed {
		e.fill(node, out.String(), origins)
	}
	if failed {
		e.Failed = append(e.Failed, node)
	}
}

// fill sets the value of a node.
func (e *Expander) fill(node *yaml.Node, value string, origins []Origin) {
	if e.Written == nil {
		e.Written = map[*yaml.Node]string{}
	}
	e.Written[node] = node.Value
	node.Value, node.Style = value, styleOf(node.Style, value)
	e.record(node, origins)
}

func (e *Expander) record(node *yaml.Node, origins []Origin) {
	if e.Origins == nil {
		e.Origins = map[*yaml.Node][]Origin{}
	}
	e.Origins[node] = origins
}

func (e *Expander) report(path krm.Path, err error) {
	if !errors.Is(err, errReported) {
		e.Problems = append(e.Problems,
			strictyaml.Problem{Rule: RuleTemplate, Severity: strictyaml.SeverityError, Path: path, Message: err.Error()})
	}
}
