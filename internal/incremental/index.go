package incremental

import (
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// index is the stored form. Numbers are those of elements of its lists.
type index struct {
	// Documents is the digest of the documents that are no sandboxes.
	Documents string
	Kinds     []Kind
	Sandboxes []entry
	Files     []file
	Outputs   []output

	sandboxes []Sandbox // those of the entries
}

// entry is a sandbox in the index.
type entry struct {
	_ struct{} `cbor:",toarray"`

	Key           load.Key
	Kind          int
	Identities    [3]uint64
	Input, Output int
	Outputs       []int
}

// file is a file that has nothing but sandboxes.
type file struct {
	_ struct{} `cbor:",toarray"`

	Path      string
	State     state
	Sandboxes []int // in order

	sandboxes []*Sandbox
}

// connect replaces numbers by the elements.
func (x *index) connect() {
	x.sandboxes = make([]Sandbox, len(x.Sandboxes))
	for i, e := range x.Sandboxes {
		s := &x.sandboxes[i]
		*s = Sandbox{Key: e.Key, Kind: &x.Kinds[e.Kind], Identities: e.Identities, Input: e.Input, Output: e.Output}
		s.outputs = make([]*output, len(e.Outputs))
		for i, n := range e.Outputs {
			s.outputs[i] = &x.Outputs[n]
		}
	}
	for i := range x.Files {
		one := &x.Files[i]
		one.sandboxes = make([]*Sandbox, len(one.Sandboxes))
		for i, n := range one.Sandboxes {
			one.sandboxes[i] = &x.sandboxes[n]
		}
	}
}

// byKey returns the sandboxes by their keys.
func (x *index) byKey() map[load.Key]*Sandbox {
	all := make(map[load.Key]*Sandbox, len(x.sandboxes))
	for i := range x.sandboxes {
		all[x.sandboxes[i].Key] = &x.sandboxes[i]
	}
	return all
}

// builder makes an index.
type builder struct {
	index
	kinds   map[string]int // by their texts
	known   map[*Kind]int
	numbers map[load.Key]int // of the sandboxes
}

func newBuilder(documents string) *builder {
	return &builder{
		index: index{Documents: documents}, kinds: map[string]int{}, known: map[*Kind]int{}, numbers: map[load.Key]int{},
	}
}

// addAll adds the sandboxes of a run that the next one may reuse, and the files of the package that was read.
func (b *builder) addAll(c *Cache, read *load.Package) {
	for _, s := range c.reused {
		b.add(s)
	}
	for _, key := range slices.Sorted(maps.Keys(c.postponed)) {
		if s := c.postponed[key]; s.isReusable {
			b.add(s)
		}
	}
	for _, one := range c.unread {
		keys := make([]load.Key, len(one.sandboxes))
		for i, s := range one.sandboxes {
			keys[i] = s.Key
		}
		b.addFile(one.Path, one.State, keys)
	}
	read.Reusable(func(file string, keys []load.Key) { b.addFile(file, c.states[file], keys) })
}

// add adds a sandbox, unless it is there.
func (b *builder) add(s *Sandbox) {
	if _, found := b.numbers[s.Key]; found {
		return
	}
	e := entry{Key: s.Key, Kind: b.kind(s.Kind), Identities: s.Identities, Input: s.Input, Output: s.Output,
		Outputs: make([]int, len(s.outputs))}
	for i, one := range s.outputs {
		e.Outputs[i] = len(b.Outputs)
		b.Outputs = append(b.Outputs, *one)
	}
	b.numbers[s.Key] = len(b.Sandboxes)
	b.Sandboxes = append(b.Sandboxes, e)
}

func (b *builder) kind(k *Kind) int {
	if n, found := b.known[k]; found {
		return n
	}
	text := fmt.Sprintf("%#v", *k)
	n, found := b.kinds[text]
	if !found {
		n = len(b.Kinds)
		b.kinds[text] = n
		b.Kinds = append(b.Kinds, *k)
	}
	b.known[k] = n
	return n
}

// addFile adds a file, unless one of its sandboxes cannot be reused: it must be read then.
func (b *builder) addFile(path string, then state, keys []load.Key) {
	one := file{Path: path, State: then, Sandboxes: make([]int, len(keys))}
	for i, key := range keys {
		n, found := b.numbers[key]
		if !found {
			return
		}
		one.Sandboxes[i] = n
	}
	b.Files = append(b.Files, one)
}
