package incremental

import (
	"context"
	"errors"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// side is one of two states that are compared. A sandbox is reused if it has the same text on both sides, and an
// earlier comparison found nothing wrong with it: its objects are the same on both sides. So the first one that uses a
// phase of a plugin is rendered on both sides, for the objects that sandboxes share.
//
// Both sides are read at the same time, and tell each other twice which documents they have: before files are read those of
// files that did not change, which need not be read if all their sandboxes are reused; then all.
type side struct {
	isAfter    bool
	own, other chan []load.Keyed // other is nil if there is no other side
	unread     []load.Keyed
	isUsed     map[string]bool   // phases of plugins
	isRendered map[load.Key]bool // on both sides, though it is the same
}

// OpenSides returns the caches of two states that are compared; nil if there cannot be any. The error is the reason why
// nothing can be reused.
func OpenSides(options Options) (before, after *Cache, err error) {
	store, err := newStore(options)
	if errors.Is(err, errUnsupported) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	before, after = newSides(store)
	old, err := store.read()
	if err != nil {
		return before, after, err
	}
	old.connect()
	known := old.byKey()
	before.old, before.sandbox = old, known
	after.old, after.sandbox = old, known
	return before, after, nil
}

func newSides(store *store) (before, after *Cache) {
	const messages = 2 // so that no side waits for the other one to take them
	first, second := make(chan []load.Keyed, messages), make(chan []load.Keyed, messages)
	newSide := func(own, other chan []load.Keyed, isAfter bool) *Cache {
		c := newCache(store, "")
		c.side = &side{own: own, other: other, isAfter: isAfter, isUsed: map[string]bool{}, isRendered: map[load.Key]bool{}}
		return c
	}
	return newSide(first, second, false), newSide(second, first, true)
}

// SidesWithoutIndex returns caches that reuse nothing, for a comparison that starts again.
func SidesWithoutIndex(of *Cache) (before, after *Cache) {
	if of == nil {
		return nil, nil
	}
	return newSides(of.store)
}

// Leave ends the reading of a side, which the other one may wait for. It must be called once, with errors or without.
func (c *Cache) Leave() {
	if c != nil {
		close(c.side.own)
	}
}

// choose tells the other side the documents of this one, and returns the function that decides which of them are
// reused: those that each side has once, except the first ones.
func (c *Cache) choose(own []load.Keyed) (isReused func(load.Key) bool) {
	s := c.side
	s.own <- own
	before, after := own, own
	switch {
	case s.other == nil:
	case s.isAfter:
		before = <-s.other
	default:
		after = <-s.other
	}
	times := make(map[load.Key][2]int, len(before))
	for i, documents := range [][]load.Keyed{before, after} {
		for _, d := range documents {
			n := times[d.Key]
			n[i]++
			times[d.Key] = n
		}
	}
	isCommon := func(key load.Key) bool { return c.sandbox[key] != nil && times[key] == [2]int{1, 1} }
	for _, d := range before { // the order of one side, so that both choose the same
		if !isCommon(d.Key) {
			continue
		}
		for _, used := range c.sandbox[d.Key].uses() {
			if !s.isUsed[used] {
				s.isUsed[used], s.isRendered[d.Key] = true, true
			}
		}
	}
	return func(key load.Key) bool { return isCommon(key) && !s.isRendered[key] }
}

// planSide is Plan for a side.
func (c *Cache) planSide(files []load.Source) (unread []bool, reused []*Sandbox) {
	now := c.inspect(files)
	known := make(map[[2]string]*file, len(files))
	if c.old != nil {
		for i := range c.old.Files {
			one := &c.old.Files[i]
			known[[2]string{one.Path, one.State.ID}] = one
		}
	}
	var own []load.Keyed
	same := make([]*file, len(files))
	for i := range files {
		one := known[[2]string{files[i].Path, now[i].ID}]
		if one == nil || files[i].IsWhole() || !one.State.isSame(now[i]) {
			continue
		}
		same[i] = one
		for number, s := range one.sandboxes {
			own = append(own, load.Keyed{File: i, Number: number, Key: s.Key})
		}
	}
	isReused := c.choose(own)
	unread = make([]bool, len(files))
	for i, one := range same {
		if unread[i] = one != nil && one.isNeedless(isReused); unread[i] {
			c.unread = append(c.unread, one)
			c.reused = append(c.reused, one.sandboxes...)
		}
	}
	for _, d := range own {
		if unread[d.File] {
			c.side.unread = append(c.side.unread, d)
		}
	}
	return unread, c.reused
}

// isNeedless reports whether all sandboxes of a file are reused.
func (f *file) isNeedless(isReused func(load.Key) bool) bool {
	for _, s := range f.sandboxes {
		if !isReused(s.Key) {
			return false
		}
	}
	return true
}

// SaveSides writes the index for the next comparison: of both sides if the documents that are no sandboxes are the same,
// else of the newer one. A side that was not rendered in parts has no package; nothing is written if that is the newer one.
func SaveSides(ctx context.Context, before, after *Cache, older, newer *load.Package) error {
	if after == nil || newer == nil {
		return nil
	}
	if before.isVoid || after.isVoid {
		return after.store.remove()
	}
	next := newBuilder(after.documents)
	if older != nil && before.documents == after.documents {
		before.assign()
		next.addAll(before, older)
	}
	after.assign()
	next.addAll(after, newer)
	return after.store.write(ctx, &next.index)
}
