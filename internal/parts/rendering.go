package parts

import (
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Rendering is how a Runner renders, and counts the objects. Functions that render nothing have none and link no renderer.
type Rendering interface {
	// MayReplace reports whether an item may be an object that was rendered before.
	MayReplace(item *krm.Item) bool
	// IsExcess reports whether objects are too large together for sandboxes, both in bytes.
	IsExcess(sandboxes, objects int) bool
	// Reuse adds a sandbox that an earlier run has rendered.
	Reuse(one *incremental.Sandbox)
	// Report reports findings that depend on all sandboxes to a list.
	Report(list *krm.ResourceList)
}

// Rendered are the objects of a part.
type Rendered interface {
	// Shared is how many belong to no sandbox in particular. They are the first ones.
	Shared() int
	// NeedsAll reports whether they depend on the sandboxes of all parts.
	NeedsAll() bool
	// Record sets the counts of a sandbox by its name in lower case. It returns false if the sandbox has no objects.
	Record(name string, one *incremental.Sandbox) bool
	// Add adds them to the Rendering; without the counts if a part has failed.
	Add(hasFailed bool)
}

// rendered returns the objects of the part.
func (p part) rendered() Rendered {
	if p.Rendered == nil {
		return nothing{}
	}
	return p.Rendered
}

// nothing are the objects of a part that is not rendered.
type nothing struct{}

func (nothing) Shared() int                              { return 0 }
func (nothing) NeedsAll() bool                           { return false }
func (nothing) Record(string, *incremental.Sandbox) bool { return false }
func (nothing) Add(bool)                                 {}
