package validate

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// check is one document under check: what could not be decoded, and what the rules found.
type check struct {
	item     *krm.Item
	problems []strictyaml.Problem
	doubt    doubt
	renames  []rename
	rule     *Rule // the rule that runs
	findings []finding
}

// finding is one break of a rule.
type finding struct {
	rule     *Rule
	path     krm.Path
	message  string
	proposed any

	line, column int  // inside the scalar at path, 0 where it is about the whole
	worded       bool // the message tells the line in its own words
}

// newCheck begins the check of a document with what could not be decoded.
func newCheck(item *krm.Item, problems []strictyaml.Problem) check {
	problems = refine(topLevel(item, problems))
	return check{item: item, problems: problems, doubt: newDoubt(problems), renames: renamed(problems)}
}

// report notes that the rule that runs is broken at path.
func (c *check) report(path krm.Path, format string, args ...any) {
	c.propose(path, nil, format, args...)
}

// reportInside is report for a place inside the scalar at path: a line of its value from 1, and a column in characters,
// 0 where the line's text begins.
func (c *check) reportInside(path krm.Path, line, column int, format string, args ...any) {
	c.findings = append(c.findings,
		finding{rule: c.rule, path: path, message: fmt.Sprintf(format, args...), line: line, column: column})
}

// reportStart is reportInside for the first line, of which the message tells.
func (c *check) reportStart(path krm.Path, format string, args ...any) {
	c.reportInside(path, 1, 1, format, args...)
	c.findings[len(c.findings)-1].worded = true
}

// propose is report with the value that is certain to be meant; nil where none is.
func (c *check) propose(path krm.Path, value any, format string, args ...any) {
	c.findings = append(c.findings,
		finding{rule: c.rule, path: path, message: fmt.Sprintf(format, args...), proposed: value})
}

// unsure tells whether what stands at path could not be read, so that nothing may be concluded from it.
func (c *check) unsure(path krm.Path) bool {
	return len(c.problems) > 0 && c.doubt.at(c.written(path), c.item.YNode())
}

// results turns what was found into results. A finding that follows from what could not be decoded is dropped, and so
// is one at the place of a placeholder: the user learns of the cause.
func (c *check) results(levels Levels) krm.Results {
	var results krm.Results
	add := func(f finding, rule string, own krm.Severity) {
		if severity := levels.of(rule, own); severity != Off {
			results = append(results, c.result(f, rule, severity))
		}
	}
	for _, p := range c.problems {
		add(finding{path: p.Path, message: p.Message, proposed: p.Proposed}, p.Rule, p.Severity)
	}
	placeholders := c.placeholders()
	for _, f := range c.findings {
		if f.rule == &placeholderValue || !placeholders[f.path] && !c.unsure(f.path) {
			f.path = c.written(f.path)
			add(f, f.rule.ID, f.rule.Severity)
		}
	}
	return results
}

// result says where a finding is: at a key, inside a scalar, or at a value.
func (c *check) result(f finding, rule string, severity krm.Severity) krm.Result {
	var result krm.Result
	switch {
	case rule == strictyaml.RuleUnknown:
		result = krm.AtKey(c.item, f.path, severity, f.message)
	case f.line > 0:
		result = krm.AtInside(c.item, f.path, f.line, f.column, severity, f.message)
	default:
		result = krm.At(c.item, f.path, severity, f.message)
	}
	if f.worded {
		result.Message = f.message
	}
	if result.Tags == nil {
		result.Tags = map[string]string{}
	}
	result.Tags["rule"] = rule
	if result.Field != nil {
		result.Field.ProposedValue = f.proposed
	}
	return result
}

func (c *check) placeholders() map[krm.Path]bool {
	var paths map[krm.Path]bool
	for _, f := range c.findings {
		if f.rule == &placeholderValue {
			if paths == nil {
				paths = map[krm.Path]bool{}
			}
			paths[f.path] = true
		}
	}
	return paths
}
