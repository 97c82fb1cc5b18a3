package renderphase

import (
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// Extension is a feature with its renderer. It is not part of extension.Extension, so that functions that render nothing are
// linked without renderers.
type Extension struct {
	extension.Extension
	// Renderer renders its documents; nil if they are only checked.
	Renderer Renderer
}

// Renderer renders documents of a feature, after package render has rendered the resources of sandboxes.
type Renderer interface {
	// IsAlone reports whether the options ask for objects of the feature and nothing else.
	IsAlone(options render.Options) bool
	// Render appends objects to a list, and removes those that an earlier run has rendered and this one has not. Problems
	// with documents are reported to the list. The error is krm.OptionErrors, or that of an item that cannot be read.
	Render(list *krm.ResourceList, options render.Options) (Output, error)
}

// Output has the objects of a Renderer.
type Output struct {
	// Requests is how many documents were rendered.
	Requests int
	// Text counts them in a summary, after "rendered": `3 packages for 1 install request`.
	Text string
	// Objects are the items of the list that were rendered.
	Objects []*krm.Item
	// Print is printed in place of the objects; nil if they are printed.
	Print []byte
}

// Extensions are the features of a program.
type Extensions []Extension

// Common returns the additions to all functions.
func (all Extensions) Common() []extension.Extension {
	common := make([]extension.Extension, len(all))
	for i, e := range all {
		common[i] = e.Extension
	}
	return common
}

// renderers returns the renderers of the features.
func (all Extensions) renderers() (renderers []Renderer) {
	for _, e := range all {
		if e.Renderer != nil {
			renderers = append(renderers, e.Renderer)
		}
	}
	return renderers
}
