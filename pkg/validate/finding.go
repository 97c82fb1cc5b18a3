package validate

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Document is one document that is checked: what could not be decoded, and what the rules found. A finding that follows from
// what could not be decoded is dropped.
type Document struct {
	item       *krm.Item
	problems   []strictyaml.Problem
	unreadable unreadable
	renames    []rename
	findings   []finding
}

// finding is one break of a rule.
type finding struct {
	rule     *Rule
	path     krm.Path
	message  string
	proposed any

	atKey        bool // it is about the key at path, not about the value
	line, column int  // inside the scalar at path, 0 if it is about the whole
	ownWords     bool // the message need not say the line
}

// NewDocument returns a document whose fields the caller reads: for rules about documents that another extension, or this
// package, decodes.
func NewDocument(item *krm.Item) *Document { return &Document{item: item} }

// Decode decodes the document's spec into a pointer to a struct. All that could not be decoded becomes findings of the rules
// of YAML, such as unknown-key, and so does what is beside metadata and spec.
func Decode(item *krm.Item, spec any) *Document { return Decoded(item, document.ReadSpec(item, spec)) }

// Decoded is Decode for a document that the caller has decoded, with what could not be decoded.
func Decoded(item *krm.Item, problems []strictyaml.Problem) *Document {
	d := newDocument(item, problems)
	return &d
}

// newDocument returns a document with what could not be decoded.
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

// isWritten reports whether the scalar at path is written in the document itself. One that a template's variable gave is
// not; of a document that came in with a list, nothing else is known.
func isWritten(item *krm.Item, path krm.Path) bool {
	place, known := item.PlaceInside(path, 1, 1)
	return known || place.File == "" || place.Line == 0
}

// Report records that a rule is broken at path, with a message that begins in lower case.
func (c *Document) Report(r *Rule, path krm.Path, format string, args ...any) {
	c.Propose(r, path, nil, format, args...)
}

// Propose is Report with the value that is certain to be meant, for --fix; nil if there is none.
func (c *Document) Propose(r *Rule, path krm.Path, value any, format string, args ...any) {
	c.findings = append(c.findings, finding{rule: r, path: path, message: fmt.Sprintf(format, args...), proposed: value})
}

// ReportKey is Report for the key at path.
func (c *Document) ReportKey(r *Rule, path krm.Path, format string, args ...any) {
	c.findings = append(c.findings, finding{rule: r, path: path, message: fmt.Sprintf(format, args...), atKey: true})
}

// Must reports what is wrong with the value at path, words that begin with "must", unless wrong is empty. what names the value
// in the message and may be empty.
func (c *Document) Must(r *Rule, path krm.Path, what, wrong string) {
	switch {
	case wrong == "":
	case what == "":
		c.Report(r, path, "%s", wrong)
	default:
		c.Report(r, path, "%s %s", what, wrong)
	}
}

// ReportInside is Report for a position in the scalar at path: a line of its value from 1, and a column in characters, 0
// for the beginning of the line's text.
func (c *Document) ReportInside(r *Rule, path krm.Path, line, column int, format string, args ...any) {
	c.findings = append(c.findings,
		finding{rule: r, path: path, message: fmt.Sprintf(format, args...), line: line, column: column})
}

// reportStart is ReportInside for the first line; the message says that it is about that line.
func (c *Document) reportStart(r *Rule, path krm.Path, message string) {
	c.findings = append(c.findings, finding{rule: r, path: path, message: message, line: 1, column: 1, ownWords: true})
}

// Unsure reports whether the value at path could not be read, so that nothing may be concluded from it.
func (c *Document) Unsure(path krm.Path) bool {
	return len(c.problems) > 0 && c.unreadable.at(c.written(path), c.item.YNode())
}

// results turns the findings into results. A finding that follows from what could not be decoded is dropped, and so is
// one about a placeholder's value: the cause is reported.
func (c *Document) results(options Options) krm.Results {
	var results krm.Results
	add := func(f finding, rule string, byDefault krm.Severity) {
		if severity := options.severity(rule, byDefault); severity != off {
			results = append(results, c.result(f, rule, severity))
		}
	}
	for _, p := range c.problems {
		atKey := p.Rule == strictyaml.RuleUnknown
		add(finding{path: p.Path, message: p.Message, proposed: p.Proposed, atKey: atKey}, p.Rule, p.Severity)
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

// result returns a finding with its position: at a key, inside a scalar, or at a value.
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
