package validate

import (
	"cmp"
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Document is a document being checked, with its decoding problems and the findings of rules. A finding that follows from a
// decoding problem is dropped.
type Document struct {
	// LevelName is the document's name in Options.Rules. The default is that of its metadata.
	LevelName  string
	item       *krm.Item
	problems   []strictyaml.Problem
	unreadable unreadable
	renames    []rename
	findings   []finding
}

// finding is a violation of a rule.
type finding struct {
	rule     *Rule
	path     krm.Path
	message  string
	proposed any

	atKey        bool // it is about the key at path, not the value
	line, column int  // inside the scalar at path, 0 for the whole scalar
	ownWords     bool // the message need not contain the line
}

// NewDocument returns a document whose fields the caller reads: for rules about documents that this package or another
// extension decodes.
func NewDocument(item *krm.Item) *Document { return &Document{item: item} }

// Decode decodes the document's spec into a pointer to a struct. Every decoding problem becomes a finding of the rules of
// YAML, such as unknown-key, and so does every key beside metadata and spec.
func Decode(item *krm.Item, spec any) *Document {
	d := newDocument(item, document.ReadSpec(item, spec))
	return &d
}

// DecodeNullable is Decode for a document whose spec may be null, which is an empty one.
func DecodeNullable(item *krm.Item, spec any) *Document {
	d := newDocument(item, document.ReadNullableSpec(item, spec))
	return &d
}

// newDocument returns a document with its decoding problems.
func newDocument(item *krm.Item, problems []strictyaml.Problem) Document {
	problems = dedupe(item.YNode(), topLevel(item, problems))
	for i := range problems {
		if p := &problems[i]; p.Rule == strictyaml.RuleQuoted {
			if isWritten(item, p.Path) {
				p.Message += ": remove the quotes"
			} else {
				p.Proposed = nil
			}
		}
	}
	return Document{item: item, problems: problems, unreadable: newUnreadable(problems), renames: renamed(problems)}
}

// isWritten reports whether the scalar at path is part of the document itself and not the value of a template variable.
// Documents in a list are assumed to have no variables.
func isWritten(item *krm.Item, path krm.Path) bool {
	place, known := item.PlaceInside(path, 1, 1)
	return known || place.File == "" || place.Line == 0
}

// Report reports a violation of a rule at path, with a message that starts in lower case.
func (c *Document) Report(r *Rule, path krm.Path, format string, args ...any) {
	c.Propose(r, path, nil, format, args...)
}

// Propose is Report with the correct value for --fix; nil if that is uncertain.
func (c *Document) Propose(r *Rule, path krm.Path, value any, format string, args ...any) {
	c.findings = append(c.findings, finding{rule: r, path: path, message: fmt.Sprintf(format, args...), proposed: value})
}

// ReportKey is Report for the key at path.
func (c *Document) ReportKey(r *Rule, path krm.Path, format string, args ...any) {
	c.findings = append(c.findings, finding{rule: r, path: path, message: fmt.Sprintf(format, args...), atKey: true})
}

// Must reports a problem of the value at path, a text that starts with "must", unless it is empty. The message starts with
// name, the name of the value, unless it is empty.
func (c *Document) Must(r *Rule, path krm.Path, name, problem string) {
	switch {
	case problem == "":
	case name == "":
		c.Report(r, path, "%s", problem)
	default:
		c.Report(r, path, "%s %s", name, problem)
	}
}

// ReportInside is Report for a position in the scalar at path: a line of its value, starting at 1, and a column in
// characters, or 0 for the start of the line's text.
func (c *Document) ReportInside(r *Rule, path krm.Path, line, column int, format string, args ...any) {
	c.findings = append(c.findings,
		finding{rule: r, path: path, message: fmt.Sprintf(format, args...), line: line, column: column})
}

// reportStart is ReportInside for the first line, which the message mentions.
func (c *Document) reportStart(r *Rule, path krm.Path, message string) {
	c.findings = append(c.findings, finding{rule: r, path: path, message: message, line: 1, column: 1, ownWords: true})
}

// Unsure reports whether the value at path could not be read, so that no finding may depend on it.
func (c *Document) Unsure(path krm.Path) bool {
	return len(c.problems) > 0 && c.unreadable.at(c.written(path), c.item.YNode())
}

// results returns the findings as results. Findings that follow from decoding problems, or that are about the value of a
// placeholder, are dropped: their cause is reported.
func (c *Document) results(options Options) krm.Results {
	var results krm.Results
	add := func(f finding, rule string, byDefault krm.Severity) {
		if severity := options.severity(rule, cmp.Or(c.LevelName, c.item.Name()), byDefault); severity != off {
			results = append(results, c.result(f, rule, severity))
		}
	}
	for _, p := range c.problems {
		atKey := p.Rule == strictyaml.RuleUnknown
		add(finding{path: p.Path, message: p.Message, proposed: p.Proposed, atKey: atKey}, p.Rule, krm.Severity(p.Severity))
	}
	placeholders := map[krm.Path]bool{}
	for _, f := range c.findings {
		if f.rule == &placeholderValue {
			placeholders[f.path] = true
		}
	}
	for _, f := range c.findings {
		if f.rule == &placeholderValue || !placeholders[f.path] && !c.Unsure(f.path) {
			f.path = c.written(f.path)
			add(f, f.rule.ID, f.rule.Severity)
		}
	}
	return results
}

// result returns the result of a finding, with its position: at a key, inside a scalar, or at a value.
func (c *Document) result(f finding, rule string, severity krm.Severity) krm.Result {
	var result krm.Result
	switch {
	case f.atKey:
		result = krm.AtKey(c.item, f.path, severity, f.message)
	case f.line > 0:
		result = krm.AtInside(c.item, f.path, f.line, f.column, severity, f.message)
	default:
		result = krm.At(c.item, f.path, severity, f.message)
	}
	if f.ownWords {
		result.Message = f.message
	}
	if result.Tags == nil {
		result.Tags = map[string]string{}
	}
	result.Tags[krm.RuleTag] = rule
	if result.Field != nil {
		result.Field.ProposedValue = f.proposed
	}
	return result
}
