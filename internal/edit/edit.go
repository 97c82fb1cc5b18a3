package edit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// Edit replaces the scalar that is written in the bytes [From, To), counted from after a byte order mark.
type Edit struct {
	From, To int
	// Text is the replacement.
	Text string
}

// Reasons why a text is not edited.
var (
	errOverlap = errors.New("two changes must not touch the same bytes")
	errOther   = errors.New("the change would touch more than the value it is for")
	errTaken   = errors.New("the key is there already")
)

const byteOrderMark = "\ufeff"

// Apply returns the text of a file, YAML or JSON, with the edits. It is an error if the text is neither, or if its
// trees would differ in more than one scalar for each edit.
func Apply(file string, text []byte, edits []Edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	edits = slices.Compact(edits)
	unmarked := bytes.TrimPrefix(text, []byte(byteOrderMark))
	out := slices.Clone(text[:len(text)-len(unmarked)])
	at := 0
	for _, edit := range edits {
		if edit.From < at {
			return nil, errOverlap
		}
		out = append(append(out, unmarked[at:edit.From]...), edit.Text...)
		at = edit.To
	}
	out = append(out, unmarked[at:]...)
	return out, verify(NewFile(file, unmarked), NewFile(file, bytes.TrimPrefix(out, []byte(byteOrderMark))), edits)
}

// verify compares the trees of a text before and after edits.
func verify(before, after *Text, edits []Edit) error {
	old, err := before.documents()
	if err != nil {
		return fmt.Errorf("the file must be valid to be changed: %w", err)
	}
	edited, err := after.documents()
	if err != nil || len(edited) != len(old) {
		return errOther
	}
	c := comparison{text: before, edited: map[int]bool{}}
	for _, edit := range edits {
		c.edited[edit.From] = true
	}
	for n := range old {
		if !c.equal(old[n], edited[n]) {
			return cmp.Or(c.taken, errOther)
		}
	}
	if len(c.edited) > 0 {
		return errOther
	}
	return nil
}

func (t *Text) documents() ([]*yaml.Node, error) {
	if t.isJSON {
		root, problem := strictyaml.ParseJSON(t.bytes)
		if problem != nil {
			return nil, errors.New(problem.Message)
		}
		return []*yaml.Node{root}, nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(t.bytes))
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

// comparison records the scalars that may differ.
type comparison struct {
	text   *Text
	edited map[int]bool // by the byte where the scalar begins
	taken  error
}

// equal reports whether two trees are equal except for the edited scalars, which it removes from c.edited.
func (c *comparison) equal(old, edited *yaml.Node) bool {
	if old.Kind != edited.Kind || old.Anchor != edited.Anchor || len(old.Content) != len(edited.Content) {
		return false
	}
	if old.Kind == yaml.ScalarNode {
		if at, ok := c.text.Offset(old.Line, old.Column); ok && c.edited[at] {
			delete(c.edited, at)
			return true
		}
	}
	if old.Value != edited.Value || old.ShortTag() != edited.ShortTag() {
		return false
	}
	if old.Kind == yaml.MappingNode && keys(old) != keys(edited) {
		c.taken = errTaken
		return false
	}
	return slices.EqualFunc(old.Content, edited.Content, c.equal)
}

// keys counts the distinct keys of a mapping.
func keys(mapping *yaml.Node) int {
	different := map[string]bool{}
	for n := 0; n < len(mapping.Content); n += 2 {
		different[mapping.Content[n].Value] = true
	}
	return len(different)
}
