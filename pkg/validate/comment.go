package validate

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Parts of a comment that suppresses findings, and its form in messages.
const (
	commentMarker   = "krm-functions:"
	suppressingVerb = "ignore"
	commentForm     = "# krm-functions: ignore RULE reason"
)

var suppressionForm = Rule{
	ID: "suppression-form", Severity: krm.Warning,
	Summary: "A comment that suppresses findings names known rules and a reason: `" + commentForm + "`.",
	Why:     "A comment without a reason, or with a misspelled rule, suppresses nothing.",
	Sources: []string{}, checks: []check{commentCheck{}},
	Example: "spec.ttl.duration: 2d # krm-functions: ignore ttl-duration",
}

var suppressionUnused = Rule{
	ID: "suppression-unused", Severity: krm.Warning,
	Summary: "A comment that suppresses findings is at a line that has one.",
	Why:     "It would hide the next finding in that line, which no one has looked at.",
	Sources: []string{}, checks: []check{commentCheck{}},
	Example: "spec.ttl.duration: 2d # krm-functions: ignore ttl-duration the nightly test needs more time",
}

var suppressionRefused = Rule{
	ID: "suppression-refused", Severity: krm.Error,
	Summary: "No comment suppresses a rule that compares two states of the documents, or one about comments.",
	Why: "What is published or in use must not change. An exception belongs into the command that checks it, " +
		"where reviewers see it, not into the document that breaks the rule.",
	Sources: []string{}, checks: []check{commentCheck{}},
	Example: "spec.ttl.duration: 2d # krm-functions: ignore immutable-field no one uses it yet",
}

// commentCheck is the check of rules that Suppress checks.
type commentCheck struct{}

func (commentCheck) kind() string { return "" }

// ConcernsComments reports whether the rule is about comments that suppress findings: Suppress checks it instead of Check.
func (r *Rule) ConcernsComments() bool {
	return slices.ContainsFunc(r.checks, func(c check) bool { _, isComment := c.(commentCheck); return isComment })
}

// CanBeSuppressed reports whether a comment may suppress findings of the rule.
func (r *Rule) CanBeSuppressed() bool { return !r.ComparesStates() && !r.ConcernsComments() }

// comment is a comment that suppresses findings.
type comment struct {
	item  *krm.Item
	place krm.Place
	about int // the line it refers to

	verb   string
	rules  []string
	reason string
	used   map[string]bool // by rule
}

// isValid reports whether the comment may suppress findings.
func (c *comment) isValid() bool {
	return c.verb == suppressingVerb && len(c.rules) > 0 && c.reason != ""
}

// newComment returns the comment in a line, or nil if it has no comment for the functions. It is alone if the line has no
// other content.
func newComment(line string) (c *comment, alone bool) {
	at := strings.Index(line, commentMarker)
	if at < 0 {
		return nil, false
	}
	before := strings.TrimRight(line[:at], " \t")
	code := strings.TrimRight(before, "#")
	if len(code) == len(before) || strings.TrimRight(code, " \t") == code && code != "" {
		return nil, false // not a comment: in YAML and in a shell it is part of a word
	}
	c = &comment{used: map[string]bool{}, place: krm.Place{Column: utf8.RuneCountInString(code) + 1}}
	rest := strings.TrimLeft(line[at+len(commentMarker):], " \t")
	c.verb, rest = cutWord(rest)
	for more := true; more; {
		var rule string
		rule, rest = cutWord(rest)
		if rule != "" {
			c.rules = append(c.rules, rule)
		}
		rest, more = strings.CutPrefix(rest, ",")
	}
	c.reason = strings.TrimSpace(rest)
	return c, strings.Trim(code, " \t-") == "" // kpt moves a comment above a document after the dash of the item
}

// cutWord returns the first word of a text, up to a blank or a comma, and the text after the following blanks.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t")
	end := strings.IndexAny(text, " \t,")
	if end < 0 {
		end = len(text)
	}
	return text[:end], strings.TrimLeft(text[end:], " \t")
}

// results returns the findings about the comment. While the item has errors, unused comments are not reported, since errors
// may hide other findings.
func (c *comment) results(options Options, rules Ruleset, hasErrors bool) krm.Results {
	var results krm.Results
	add := func(r *Rule, format string, args ...any) {
		severity := options.severity(r.ID, c.item.Name(), r.Severity)
		if severity == off {
			return
		}
		result := krm.At(c.item, "", severity, fmt.Sprintf(format, args...))
		result.Tags = map[string]string{krm.RuleTag: r.ID}
		if c.place.File != "" {
			result.Place = c.place
		}
		results = append(results, result)
	}
	switch {
	case c.verb != suppressingVerb:
		add(&suppressionForm, "comment must be %q, not %q", commentForm, commentMarker+" "+c.verb)
		return results
	case !c.isValid():
		add(&suppressionForm, "comment must name a rule and a reason: %q", commentForm)
	}
	for _, id := range c.rules {
		switch rule := rules.Find(id); {
		case rule == nil:
			add(&suppressionForm, "%s", UnknownRule(id, options.Extensions...))
		case !rule.CanBeSuppressed():
			add(&suppressionRefused, "rule %q must not be suppressed by a comment: remove the comment", id)
		case c.isValid() && !c.used[id] && !hasErrors && options.severity(id, c.item.Name(), rule.Severity) != off:
			add(&suppressionUnused, "comment suppresses nothing: there is no finding of rule %q here; remove it", id)
		}
	}
	return results
}
