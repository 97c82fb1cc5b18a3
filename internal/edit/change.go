package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Change is a file whose values and annotations are changed. All other bytes stay: comments, quotes, line endings,
// anchors.
type Change struct {
	name  string
	mark  []byte // the byte order mark, or nil
	text  *Text
	roots []*yaml.Node // with the changes
	at    map[position]*yaml.Node
	edits []Edit

	aliases map[*yaml.Node]int        // the number of a node's aliases
	shared  map[*yaml.Node]bool       // nodes below a node with an alias
	keys    map[*yaml.Node]*yaml.Node // by their values
	uses    map[*yaml.Node]setValue   // by the changed scalar
	undo    []func()                  // reverts the changes
}

type position struct{ line, column int }

// setValue is the new value of a scalar, and the number of its uses that are set to it.
type setValue struct {
	value string
	uses  int
}

// Reasons why a value must be changed by hand.
var (
	errNoPlace  = errors.New("its place in a file is not known")
	errTemplate = errors.New("the file has another value there: a template gives it")
	errSeveral  = errors.New("the value is used in several places (& and *)")
	errBlock    = errors.New("a value of several lines must be changed by hand")
)

// NewChange reads a file. The content must not be changed.
func NewChange(name string, content []byte) (*Change, error) {
	unmarked := bytes.TrimPrefix(content, []byte(byteOrderMark))
	c := &Change{
		name: name, mark: content[:len(content)-len(unmarked)], text: NewFile(name, unmarked), at: map[position]*yaml.Node{},
		aliases: map[*yaml.Node]int{}, shared: map[*yaml.Node]bool{}, uses: map[*yaml.Node]setValue{},
		keys: map[*yaml.Node]*yaml.Node{},
	}
	var err error
	if c.roots, err = c.text.documents(); err != nil {
		return nil, fmt.Errorf("the file must be valid to be changed: %w", err)
	}
	for _, root := range c.roots {
		c.index(root)
	}
	for _, root := range c.roots {
		c.share(root, false)
	}
	return c, nil
}

// index records the positions of a tree's nodes. A mapping has the position of its first key, which is recorded as the
// mapping, since keys are not searched there.
func (c *Change) index(node *yaml.Node) {
	if node.Kind == yaml.AliasNode {
		c.aliases[node.Alias]++
	}
	if at := (position{node.Line, node.Column}); node.Kind != yaml.DocumentNode && c.at[at] == nil {
		c.at[at] = node
	}
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 1 {
			c.keys[child] = node.Content[i-1]
		}
		c.index(child)
	}
}

// share records the nodes below a node with an alias.
func (c *Change) share(node *yaml.Node, within bool) {
	c.shared[node] = within
	for _, child := range node.Content {
		c.share(child, within || c.aliases[node] > 0)
	}
}

// Try makes all changes of work, or none if one of them must be made by hand.
func (c *Change) Try(work func() error) error {
	edits := len(c.edits)
	c.undo = nil
	err := work()
	for node, set := range c.uses {
		if uses := c.aliases[node] + 1; err == nil && uses > 1 && uses != set.uses {
			err = errSeveral
		}
	}
	if err != nil {
		c.edits = c.edits[:edits]
		for _, undo := range slices.Backward(c.undo) {
			undo()
		}
	}
	return err
}

// Rename renames the key of the value at a place.
func (c *Change) Rename(value krm.Place, before, key string) error {
	node := c.keys[c.at[position{value.Line, value.Column}]]
	if node == nil || node.Value != before || c.shared[node] {
		return errNoPlace
	}
	scalar, ok := c.text.Scalar(node.Line, node.Column, before)
	if !ok || scalar.Block {
		return errNoPlace
	}
	c.replace(scalar, node, key)
	return nil
}

// Set sets the scalar at a place to another string. Before is its expected value. If it is an alias, or has one, all
// uses must be set to the same value.
func (c *Change) Set(place krm.Place, before, value string) error {
	node := c.at[position{place.Line, place.Column}]
	if node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch {
	case node == nil || node.Kind != yaml.ScalarNode:
		return errNoPlace
	case c.shared[node]:
		return errSeveral
	}
	set, again := c.uses[node]
	switch {
	case again && set.value != value:
		return errSeveral
	case again:
		c.use(node, setValue{value, set.uses + 1})
		return nil
	case node.Value != before:
		return errTemplate
	}
	scalar, ok := c.text.Scalar(node.Line, node.Column, before)
	switch {
	case !ok:
		return errTemplate
	case scalar.Block:
		return errBlock
	}
	c.use(node, setValue{value, 1})
	c.replace(scalar, node, value)
	return nil
}

// use records the new value of a scalar.
func (c *Change) use(node *yaml.Node, set setValue) {
	before, present := c.uses[node]
	c.uses[node] = set
	c.undo = append(c.undo, func() {
		if delete(c.uses, node); present {
			c.uses[node] = before
		}
	})
}

// replace replaces a scalar with a string.
func (c *Change) replace(scalar *Scalar, node *yaml.Node, value string) {
	c.edits = append(c.edits, Edit{From: scalar.Start, To: scalar.End, Text: c.quote(value, scalar.Style)})
	before := *node
	c.undo = append(c.undo, func() { *node = before })
	node.Value, node.Tag = value, "!!str"
}

// grow adds keys and values to a mapping.
func (c *Change) grow(mapping *yaml.Node, at int, more ...*yaml.Node) {
	before := mapping.Content
	c.undo = append(c.undo, func() { mapping.Content = before })
	mapping.Content = slices.Insert(slices.Clone(before), at, more...)
}

func (c *Change) quote(value string, style yaml.Style) string {
	if c.text.isJSON {
		encoded, _ := json.Marshal(value) // a string can be
		return string(encoded)
	}
	return yamlprint.Quote(value, style)
}

// insert inserts a text at a byte.
func (c *Change) insert(at int, text string) {
	c.edits = append(c.edits, Edit{From: at, To: at, Text: text})
}

// Bytes returns the file with the changes. It is an error if it would differ from the file in anything else.
func (c *Change) Bytes() ([]byte, error) {
	slices.SortStableFunc(c.edits, func(a, b Edit) int { return a.From - b.From })
	out, at := slices.Clone(c.mark), 0
	for _, edit := range c.edits {
		if edit.From < at {
			return nil, errOverlap
		}
		out = append(append(out, c.text.bytes[at:edit.From]...), edit.Text...)
		at = edit.To
	}
	out = append(out, c.text.bytes[at:]...)
	got, err := NewFile(c.name, out[len(c.mark):]).documents()
	if err != nil || !slices.EqualFunc(c.roots, got, identical) {
		return nil, errOther
	}
	return out, nil
}

// identical reports whether two trees are equal, ignoring comments and positions.
func identical(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Anchor == b.Anchor && a.Value == b.Value && a.ShortTag() == b.ShortTag() &&
		slices.EqualFunc(a.Content, b.Content, identical)
}
