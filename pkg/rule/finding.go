package rule

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// check is one document under check: what could not be decoded, and what the rules found.
type check struct {
	item     *krm.Item
	problems []decode.Problem
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
}

// newCheck begins the check of a document with what could not be decoded.
func newCheck(item *krm.Item, problems []decode.Problem) check {
	problems = refine(topLevel(item, problems))
	return check{item: item, problems: problems, doubt: newDoubt(problems), renames: renamed(problems)}
}

// report notes that the rule that runs is broken at path.
func (c *check) report(path krm.Path, format string, args ...any) {
	c.propose(path, nil, format, args...)
}

// propose is report with the value that is certain to be meant; nil where none is.
func (c *check) propose(path krm.Path, value any, format string, args ...any) {
	c.findings = append(c.findings,
		finding{rule: c.rule, path: path, message: fmt.Sprintf(format, args...), proposed: value})
}

// unsure tells whether what stands at path could not be read, so that nothing may be concluded from it.
func (c *check) unsure(path krm.Path) bool {
	return len(c.problems) > 0 && c.doubt.at(c.written(path), c.item.Node())
}

// results turns what was found into results. A finding that follows from what could not be decoded is dropped, and so
// is one at the place of a placeholder: the user learns of the cause.
func (c *check) results(levels Levels) krm.Results {
	var results krm.Results
	add := func(f finding, rule string, own krm.Severity) *krm.Result {
		severity := levels.of(rule, own)
		if severity == Off {
			return nil
		}
		result := krm.At(c.item, f.path, severity, f.message)
		result.Tags = map[string]string{"rule": rule}
		if result.Field != nil {
			result.Field.CurrentValue = shown(result.Field.CurrentValue)
			result.Field.ProposedValue = f.proposed
		}
		results = append(results, result)
		return &results[len(results)-1]
	}
	for _, p := range c.problems {
		result := add(finding{path: p.Path, message: p.Message, proposed: p.Proposed}, p.Rule, p.Severity)
		if result != nil && result.Field != nil && p.Rule == decode.RuleUnknown {
			_, result.Field.CurrentValue = split(p.Path)
		}
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

// shown leaves scripts and other long texts out of a result: kpt prints the value in one line.
func shown(current any) any {
	if text, ok := current.(string); ok && (len(text) > 200 || strings.Contains(text, "\n")) {
		return nil
	}
	return current
}
