package edit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Edit replaces the scalar that is written in the bytes [From, To).
type Edit struct {
	From, To int
	// Text is what is written instead.
	Text string
}

// Reasons why a text is not edited.
var (
	errOverlap = errors.New("two changes must not touch the same bytes")
	errOther   = errors.New("the change would touch more than the value it is for")
	errTaken   = errors.New("the key is there already")
)

// Apply returns a YAML text with the edits. It is an error where the text is not YAML, or would then say anything else
// than it said, but for one scalar an edit.
func Apply(text []byte, edits []Edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	edits = slices.Compact(edits)
	var out []byte
	at := 0
	for _, edit := range edits {
		if edit.From < at {
			return nil, errOverlap
		}
		out = append(append(out, text[at:edit.From]...), edit.Text...)
		at = edit.To
	}
	out = append(out, text[at:]...)
	return out, verify(text, out, edits)
}

// verify compares the trees of a text before and after edits.
func verify(before, after []byte, edits []Edit) error {
	was, err := documents(before)
	if err != nil {
		return fmt.Errorf("the file must be valid YAML to be changed: %w", err)
	}
	is, err := documents(after)
	if err != nil || len(is) != len(was) {
		return errOther
	}
	unmarked := bytes.TrimPrefix(before, []byte(byteOrderMark))
	c := comparison{text: New(unmarked, 0), mark: len(before) - len(unmarked), edited: map[int]bool{}}
	for _, edit := range edits {
		c.edited[edit.From] = true
	}
	for n := range was {
		if !c.alike(was[n], is[n]) {
			return cmp.Or(c.taken, errOther)
		}
	}
	if len(c.edited) > 0 {
		return errOther
	}
	return nil
}

const byteOrderMark = "\ufeff"

func documents(text []byte) ([]*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var all []*yaml.Node
	for {
		var document yaml.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, &document)
	}
}

// comparison holds where scalars may differ.
type comparison struct {
	text   *Text
	mark   int // the size of a byte order mark, which no column counts
	edited map[int]bool
	taken  error
}

// alike tells whether two trees are the same but for the edited scalars, which it strikes off.
func (c *comparison) alike(was, is *yaml.Node) bool {
	if was.Kind != is.Kind || was.Anchor != is.Anchor || len(was.Content) != len(is.Content) {
		return false
	}
	if was.Kind == yaml.ScalarNode && c.isEdited(was) {
		return true
	}
	if was.Value != is.Value || was.ShortTag() != is.ShortTag() {
		return false
	}
	if was.Kind == yaml.MappingNode && keys(was) != keys(is) {
		c.taken = errTaken
		return false
	}
	for n := range was.Content {
		if !c.alike(was.Content[n], is.Content[n]) {
			return false
		}
	}
	return true
}

// keys counts the different keys of a mapping.
func keys(mapping *yaml.Node) int {
	different := map[string]bool{}
	for n := 0; n < len(mapping.Content); n += 2 {
		different[mapping.Content[n].Value] = true
	}
	return len(different)
}

func (c *comparison) isEdited(node *yaml.Node) bool {
	at, ok := c.text.Offset(node.Line, node.Column)
	if !ok || !c.edited[at+c.mark] {
		return false
	}
	delete(c.edited, at+c.mark)
	return true
}
