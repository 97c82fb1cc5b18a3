package extension

import (
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// Renderer renders documents of a feature, after package render has rendered the resources of sandboxes.
type Renderer interface {
	// IsAlone reports whether the options ask for objects of the feature and nothing else.
	IsAlone(options render.Options) bool
	// Render appends objects to a list, and removes those that an earlier run has rendered and this one has not. What is wrong
	// with a document is reported to the list. The error is krm.OptionErrors, or that of an item that cannot be read.
	Render(list *krm.ResourceList, options render.Options) (Rendered, error)
}

// Rendered is what a Renderer did.
type Rendered struct {
	// Requests is how many documents were rendered.
	Requests int
	// Text counts them in a summary, after "rendered": `3 packages for 1 install request`.
	Text string
	// Objects are the items of the list that were rendered.
	Objects []*krm.Item
	// Print is printed in place of the objects; nil if they are printed.
	Print []byte
}

// Renderers returns the renderers of extensions.
func Renderers(extensions []Extension) (all []Renderer) {
	for _, e := range extensions {
		if e.Renderer != nil {
			all = append(all, e.Renderer)
		}
	}
	return all
}
