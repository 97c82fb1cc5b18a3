// Package incremental remembers earlier builds, comparisons and checks, so that the next one handles only changes.
//
// Cache is one run of a build, or one side of a comparison (OpenSides); Checks is one run that only reports findings. A
// cache is between two others: load asks it which files need not be read, and which documents are not needed (Plan, Reuse);
// package parts tells it which sandboxes it has rendered (Postponed, Rendered), and package build which files it has
// written (Object, Wrote). Save writes the index for the next run.
//
// # Reuse
//
// A sandbox is reused if all of these are as they were:
//
//   - its text, by its digest. A file is not even read if its size, times, inode and device are the same, and it was not
//     changed just before it was read the last time, which these cannot show;
//   - everything that sandboxes have in common: the program, its options, and the digest of all other documents, such as
//     plugins, catalogs and locks. These are read by each run;
//   - the files that it was rendered to, by the same rule;
//   - and nothing was reported about it: a sandbox with a warning is rendered again.
//
// Objects that sandboxes share, and findings about plugins, depend on which phases of plugins the sandboxes use. So the
// first sandbox that uses a phase is rendered again, though it did not change.
//
// # Trust
//
// A user who can change the index decides on the content of the folder. So it is authenticated with a key that is not in the
// cache directory, and which only the user can read; no one else may be able to change either. An index of another program,
// of other options or of another folder is ignored, and so is one that is damaged. ErrStale says that a run must start again
// without the index, since something does not fit together.
package incremental

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// ErrStale means that the run must start again without the index.
var ErrStale = errors.New("the cache does not fit")

// Cache is the index of an earlier run and that of this one. A nil Cache reuses and records nothing.
type Cache struct {
	store  *store
	folder string

	old     *index                // nil if nothing can be reused
	sandbox map[load.Key]*Sandbox // of the index
	states  map[string]state      // of the files, before any was read
	// firsts are the first sandboxes that use a phase of a plugin, and of all: they are rendered.
	firsts map[string]position
	// awaited are those that a file which is read must have.
	awaited map[position]load.Key
	unread  []*file // with documents that are reused
	reused  []*Sandbox

	mutex     sync.Mutex
	postponed map[load.Key]*Sandbox
	rendered  map[string]*Sandbox // by name
	outputs   map[string]*output
	documents string
	isVoid    bool // nothing of this run can be reused

	side *side // of a comparison, nil if objects are written to a folder
}

// Sandbox is a rendered sandbox.
type Sandbox struct {
	Key load.Key
	*Kind
	// Identities are hashes that no two sandboxes may have in common.
	Identities [3]uint64
	// Input and Output are the sizes of its document and of its objects.
	Input, Output int

	isReusable bool
	outputs    []*output
}

// Kind has the facts that many sandboxes have in common.
type Kind struct {
	Cluster string
	// Pins are the references that are written, by those that were asked for.
	Pins map[string]string

	// Workloads are those of so many resources, and Phases are those of which there are workloads. Compiled are the phases of
	// plugins that it uses. See render.Share.
	Workloads, Resources int
	Phases               []v1alpha1.Phase
	Compiled             []string
}

// anySandbox stands for a phase that all sandboxes use: one must be rendered, for the findings about the options.
const anySandbox = ""

// uses returns the phases of plugins of which the first sandbox that uses them must be rendered.
func (s *Sandbox) uses() []string { return append([]string{anySandbox}, s.Compiled...) }

// position is that of a document.
type position struct{ file, number int }

func (p position) compare(other position) int {
	return cmp.Or(cmp.Compare(p.file, other.file), cmp.Compare(p.number, other.number))
}

// Open returns the cache of a folder; nil if there cannot be one. The error is the reason why nothing can be reused.
func Open(options Options) (*Cache, error) {
	store, err := newStore(options)
	if errors.Is(err, errUnsupported) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := newCache(store, options.Folder)
	c.old, err = store.read()
	return c, err
}

func newCache(store *store, folder string) *Cache {
	return &Cache{
		store: store, folder: folder,
		postponed: map[load.Key]*Sandbox{}, rendered: map[string]*Sandbox{}, outputs: map[string]*output{},
	}
}

// WithoutIndex returns a cache that reuses nothing, for a run that starts again.
func (c *Cache) WithoutIndex() *Cache {
	if c == nil {
		return nil
	}
	return newCache(c.store, c.folder)
}

// HasIndex reports whether documents may be reused.
func (c *Cache) HasIndex() bool { return c != nil && c.old != nil }

// IsReused reports whether documents were reused, so that the run may have to start again without the index.
func (c *Cache) IsReused() bool { return c != nil && len(c.reused) > 0 }

// Plan returns the files that need not be read, and their sandboxes. See load.Reuser.
func (c *Cache) Plan(files []load.Source) (unread []bool, reused []*Sandbox) {
	if c.side != nil {
		return c.planSide(files)
	}
	now := c.inspect(files)
	unread = make([]bool, len(files))
	if c.old == nil {
		return unread, nil
	}
	c.prepare()
	known := make(map[string]*file, len(c.old.Files))
	for i := range c.old.Files {
		known[c.old.Files[i].Path] = &c.old.Files[i]
	}
	for i := range files {
		one := known[files[i].Path]
		if one == nil || files[i].IsWhole() || !one.State.isSame(now[i]) || !c.isNeedless(i, one) {
			continue
		}
		unread[i] = true
		c.unread = append(c.unread, one)
		c.reused = append(c.reused, one.sandboxes...)
	}
	return unread, c.reused
}

// inspect returns the states of the files, before they are read.
func (c *Cache) inspect(files []load.Source) []state {
	now := make([]state, len(files))
	krm.Each(len(files), func(i int) { now[i] = stateOf(files[i]) })
	c.states = make(map[string]state, len(files))
	for i := range files {
		c.states[files[i].Path] = now[i]
	}
	return now
}

// prepare finds the sandboxes whose files are as they were.
func (c *Cache) prepare() {
	krm.Each(len(c.old.Outputs), func(i int) {
		one := &c.old.Outputs[i]
		one.isKept = one.isIntact(c.folder)
	})
	c.old.connect()
	c.sandbox = c.old.byKey()
	c.firsts, c.awaited = map[string]position{}, map[position]load.Key{}
	for _, s := range c.sandbox {
		s.isReusable = !slices.ContainsFunc(s.outputs, func(one *output) bool { return !one.isKept })
	}
}

// isNeedless reports whether no sandbox of an unchanged file must be rendered.
func (c *Cache) isNeedless(number int, one *file) bool {
	isNeedless := true
	for i, s := range one.sandboxes {
		at := position{number, i}
		if isFirst := c.isFirst(s, at); isFirst {
			c.awaited[at] = s.Key
			isNeedless = false
		}
		isNeedless = isNeedless && s.isReusable
	}
	return isNeedless
}

// isFirst reports whether a sandbox is the first one, so far, that uses a phase of a plugin.
func (c *Cache) isFirst(s *Sandbox, at position) (isFirst bool) {
	for _, used := range s.uses() {
		if first, found := c.firsts[used]; !found || at.compare(first) < 0 {
			c.firsts[used] = at
			isFirst = true
		}
	}
	return isFirst
}

// Reuse returns the sandboxes of documents, in order; nil for those that must be rendered. See load.Reuser.
func (c *Cache) Reuse(documents []load.Keyed) []*Sandbox {
	isNeeded := c.isNeeded
	if c.side != nil {
		isReused := c.choose(append(c.side.unread, documents...))
		isNeeded = func(_ *Sandbox, d load.Keyed) bool { return !isReused(d.Key) }
	}
	sandboxes := make([]*Sandbox, len(documents))
	for i, d := range documents {
		if s := c.sandbox[d.Key]; s != nil && !isNeeded(s, d) {
			sandboxes[i] = s
			c.reused = append(c.reused, s)
		}
	}
	return sandboxes
}

// isNeeded reports whether the sandbox of a document must be rendered again.
func (c *Cache) isNeeded(s *Sandbox, d load.Keyed) bool {
	at := position{d.File, d.Number}
	if c.awaited[at] == d.Key {
		delete(c.awaited, at)
		return true
	}
	return c.isFirst(s, at) || !s.isReusable
}

// Confirm records the digest of the documents that are no sandboxes. It returns false if the reused sandboxes were rendered
// with others.
func (c *Cache) Confirm(documents string) bool {
	c.documents = documents
	return len(c.reused) == 0 || documents == c.old.Documents && len(c.awaited) == 0
}

// Reused returns the sandboxes that are reused.
func (c *Cache) Reused() []*Sandbox {
	if c == nil {
		return nil
	}
	return c.reused
}
