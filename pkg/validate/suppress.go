package validate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Suppressed is a finding that a comment suppresses.
type Suppressed struct {
	krm.Result
	// Reason is the reason in the comment.
	Reason string
}

// Suppress separates the findings that comments in the documents of a list suppress:
//
//	image: Legacy # krm-functions: ignore image-reference the registry of the lab accepts it
//
// The comment is at the end of the line with the finding, or alone in the line above. For a finding inside a block scalar it
// may also be in the first line of the scalar; in a script or a YAML text it may be a comment of that text. Results are
// about items of the list. Comments that suppress nothing, or must not, are also results; kept is sorted.
func Suppress(list *krm.ResourceList, results krm.Results, options Options) (kept krm.Results, suppressed []Suppressed) {
	s := newSuppressor(list, options)
	hasErrors := map[*krm.Item]bool{}
	for _, result := range results {
		if comment := s.find(result); comment != nil {
			suppressed = append(suppressed, Suppressed{result, comment.reason})
			continue
		}
		kept = append(kept, result)
		hasErrors[result.Item()] = hasErrors[result.Item()] || krm.Results{result}.Failed()
	}
	for _, c := range s.comments {
		kept = append(kept, c.results(options, s.rules, hasErrors[c.item])...)
	}
	return kept.Sort(), suppressed
}

// HasComments reports whether the document of an item has comments that may suppress findings.
func HasComments(item *krm.Item) bool {
	return slices.ContainsFunc(item.Texts(), func(text krm.Text) bool {
		return bytes.Contains(text.Bytes, []byte(commentMarker))
	})
}

// suppressor holds the comments of a list by the lines they refer to.
type suppressor struct {
	rules    Ruleset
	comments []*comment
	about    map[ignored]*comment
}

// ignored is a rule in a line that comments are about.
type ignored struct {
	at   commentLine
	rule string
}

// commentLine is a line of a file, or of an item in a list.
type commentLine struct {
	item *krm.Item
	file string
	line int
}

func lineOf(item *krm.Item, place krm.Place) commentLine {
	if place.File != "" {
		item = nil
	}
	return commentLine{item, place.File, place.Line}
}

func newSuppressor(list *krm.ResourceList, options Options) *suppressor {
	s := &suppressor{rules: Rules(options.Extensions...), about: map[ignored]*comment{}}
	kinds := options.kinds()
	seen := map[commentLine]bool{} // several documents may embed a file
	for _, item := range list.Items() {
		group, _, _ := strings.Cut(item.APIVersion(), "/")
		if group != contract.Group || !slices.Contains(kinds, item.Kind()) {
			continue
		}
		for _, text := range item.Texts() {
			for _, c := range commentsOf(item, text) {
				if at := lineOf(item, c.place); !seen[at] {
					seen[at] = true
					s.comments = append(s.comments, c)
					s.add(c, at)
				}
			}
		}
	}
	return s
}

// add adds a comment. Of several that suppress a rule in a line, the first one does.
func (s *suppressor) add(c *comment, at commentLine) {
	if !c.isValid() {
		return
	}
	at.line = c.about
	for _, rule := range c.rules {
		if _, taken := s.about[ignored{at, rule}]; !taken {
			s.about[ignored{at, rule}] = c
		}
	}
}

// find returns a comment that suppresses a finding, nil if no comment does.
func (s *suppressor) find(result krm.Result) *comment {
	if len(s.comments) == 0 {
		return nil
	}
	rule := s.rules.Find(result.Tags[krm.RuleTag])
	if rule == nil || !rule.CanBeSuppressed() {
		return nil
	}
	for _, place := range result.Lines() {
		if c := s.about[ignored{lineOf(result.Item(), place), rule.ID}]; c != nil {
			c.used[rule.ID] = true
			return c
		}
	}
	return nil
}

// commentsOf returns the comments in a text that suppress findings.
func commentsOf(item *krm.Item, text krm.Text) []*comment {
	if !bytes.Contains(text.Bytes, []byte(commentMarker)) {
		return nil
	}
	var comments, alone []*comment // alone in the lines of comments right above
	lines := edit.New(text.Bytes, text.Above)
	for n := text.Above + 1; lines.Line(n) != nil; n++ {
		if !isComment(lines.Line(n)) {
			for _, c := range alone {
				c.about = n
			}
			alone = nil
		}
		c, isAlone := newComment(string(lines.Line(n)))
		if c == nil {
			continue
		}
		c.item, c.place, c.about = item, krm.Place{File: text.File, Line: n, Column: c.place.Column}, n
		if comments = append(comments, c); isAlone && isComment(lines.Line(n)) {
			alone = append(alone, c)
		}
	}
	return comments
}

func isComment(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) }
