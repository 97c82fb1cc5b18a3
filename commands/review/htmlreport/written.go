package htmlreport

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/edit"
)

// written is the parts of a file that are in the trees of its documents. Other parts are hidden: a key that was ignored, as
// in front of a native document, and its values are in no tree.
type written struct {
	text *edit.Text
	// scalars are the parts of lines that belong to scalars and aliases.
	scalars map[int][]part
	// words are the anchors, aliases and tags, and comments the lines of comments.
	words, comments map[string]bool
}

// part is a part of a line in characters, from 0.
type part struct{ start, end int }

// add adds the nodes of a tree.
func (w *written) add(node *yaml.Node) {
	w.words["&"+node.Anchor], w.words[node.Tag] = true, true
	for _, comment := range []string{node.HeadComment, node.LineComment, node.FootComment} {
		for line := range strings.Lines(comment) {
			w.comments[strings.TrimSpace(line)] = true
		}
	}
	if node.Kind == yaml.ScalarNode {
		w.addScalar(node)
	}
	if node.Kind == yaml.AliasNode {
		start := node.Column - 1
		w.scalars[node.Line] = append(w.scalars[node.Line], part{start, start + len([]rune("*"+node.Value))})
	}
	for _, child := range node.Content {
		w.add(child)
	}
}

// addScalar adds the lines of a scalar.
func (w *written) addScalar(node *yaml.Node) {
	scalar, found := w.text.Scalar(node.Line, node.Column, node.Value)
	if !found {
		return
	}
	first, start := w.text.Position(scalar.Start)
	last, end := w.text.Position(scalar.End)
	for line := first; line <= last; line++ {
		one := part{0, len(w.text.Line(line))}
		if line == first {
			one.start = start - 1
		}
		if line == last {
			one.end = end - 1
		}
		w.scalars[line] = append(w.scalars[line], one)
	}
}

// unknown returns the column of the first character of a line that is in no tree, and is neither punctuation nor a comment.
func (w *written) unknown(number int) (column int, found bool) {
	rest := []rune(string(w.text.Line(number)))
	for _, one := range w.scalars[number] {
		for at := max(0, one.start); at < min(one.end, len(rest)); at++ {
			rest[at] = ','
		}
	}
	for at := 0; at < len(rest); at++ {
		if strings.ContainsRune(" \t\r,:?-[]{}", rest[at]) {
			continue
		}
		remains := string(rest[at:])
		word := strings.FieldsFunc(remains, func(r rune) bool { return strings.ContainsRune(" \t\r,[]{}", r) })[0]
		switch {
		case rest[at] == '#' && w.comments[strings.TrimSpace(remains)]:
			return 0, false
		case !w.words[word]:
			return at, true
		}
		at += len([]rune(word)) - 1
	}
	return 0, false
}
