package incremental

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// Postponed records the facts of a sandbox that was read, if it has a key. It is called by several goroutines at once.
func (c *Cache) Postponed(s *Sandbox) {
	if s.Key == "" {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.postponed[s.Key] = s
}

// Rendered returns the record of a sandbox that was rendered, to be completed. A later run reuses it only with isReusable.
func (c *Cache) Rendered(key load.Key, isReusable bool) *Sandbox {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	s := c.postponed[key]
	if s == nil {
		c.isVoid = true
		return &Sandbox{Kind: &Kind{}}
	}
	s.isReusable = isReusable
	return s
}

// Own records the name that the objects of a sandbox have in annotations.
func (c *Cache) Own(name string, s *Sandbox) { c.rendered[strings.ToLower(name)] = s }

// Void says that no later run can reuse anything of this one.
func (c *Cache) Void() {
	if c != nil {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.isVoid = true
	}
}

// output is a file of the folder.
type output struct {
	_ struct{} `cbor:",toarray"`

	Name string
	// Head is the first line, which ends in the digest of the others.
	Head  string
	Facts facts

	owner   string // the name of the sandbox whose objects it has, in lower case; empty if several share them
	isMixed bool   // it has objects of others, too
	isKept  bool   // it is one of a sandbox that is reused
	size    int
}

// Object records an object for a file: the name of its sandbox, empty if several share it, and its size.
func (c *Cache) Object(name, sandbox string, size int) {
	if c == nil {
		return
	}
	owner := strings.ToLower(sandbox)
	one := c.outputs[name]
	if one == nil {
		one = &output{Name: name, owner: owner}
		c.outputs[name] = one
	}
	one.isMixed = one.isMixed || one.owner != owner
	one.size += size
}

// Kept returns the names of the files of reused sandboxes, once all others are known. They stay as they are.
func (c *Cache) Kept() (names []string, err error) {
	for _, s := range c.Reused() {
		for _, one := range s.outputs {
			if c.outputs[one.Name] != nil {
				return nil, ErrStale
			}
			c.outputs[one.Name] = one
			names = append(names, one.Name)
		}
	}
	return names, nil
}

// CheckKept returns ErrStale if a file that is kept has changed meanwhile.
func (c *Cache) CheckKept(name string) error {
	if !c.outputs[name].isIntact(c.folder) {
		return ErrStale
	}
	return nil
}

// FactsOf returns the facts of a file of the folder, to be taken before it is read, or right after it was written.
func (c *Cache) FactsOf(name string) Facts {
	if c == nil {
		return Facts{}
	}
	return Facts{factsOf(filepath.Join(c.folder, name))}
}

// Wrote records the content of a file of the folder. It may be called by several goroutines at once.
func (c *Cache) Wrote(name string, content []byte, then Facts) {
	if c == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if one := c.outputs[name]; one != nil {
		one.Head, one.Facts = headOf(content), then.facts
	}
}

// Save writes the index for the next run, if documents were rendered in parts. The package has the documents.
func (c *Cache) Save(ctx context.Context, read *load.Package) error {
	if c == nil || c.documents == "" {
		return nil
	}
	c.assign()
	if c.isVoid {
		return c.store.remove()
	}
	next := newBuilder(c.documents)
	next.addAll(c, read)
	return c.store.write(ctx, &next.index)
}

// assign gives the sandboxes that were rendered their files.
func (c *Cache) assign() {
	for _, name := range slices.Sorted(maps.Keys(c.outputs)) {
		one := c.outputs[name]
		if one.isKept || one.owner == "" && !one.isMixed {
			continue
		}
		s := c.rendered[one.owner]
		if s == nil || one.isMixed {
			c.isVoid = true
			continue
		}
		s.Output += one.size
		if c.side != nil {
			continue // there are no files
		}
		one.Facts = one.Facts.again(filepath.Join(c.folder, name))
		s.isReusable = s.isReusable && one.Head != ""
		s.outputs = append(s.outputs, one)
	}
}
