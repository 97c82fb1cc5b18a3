// Package extension adds features to the core. A feature has its own folder at the top of the repository. Functions take
// extensions, and their main packages list the ones that they include:
//
//	func main() { cli.Main(validateplugin.New(kubebuilder.Extension())) }
//
// Renderers are in renderphase.Extension.
package extension

import (
	"slices"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Extension is a feature. A zero field adds nothing.
type Extension struct {
	// Rules are its documents and rules.
	Rules validate.Extension
	// Formats are the formats that file mode reads in addition to documents of our group.
	Formats []load.Format
	// References are the fields of the documents of Formats that resolution pins, for callers that pin them in files.
	References []Reference
	// IsRequest reports whether a document asks for something to be rendered, such as the installation of a package; nil if
	// none does.
	IsRequest func(item *krm.Item) bool
	// Resolver resolves references of its documents; nil if they have none.
	Resolver Resolver
	// Importer completes the packages of Formats that are imported; nil if they are read as they are.
	Importer Importer
}

// Reference is a field of documents with a reference.
type Reference struct {
	Path krm.Path
	// Pinned is the field beside it that has the pinned reference in its place; empty if it is pinned in place.
	Pinned krm.Path
}

// Has reports whether an item is a document of the formats of an extension.
func (e Extension) Has(item *krm.Item) bool {
	return slices.ContainsFunc(e.Formats, func(f load.Format) bool { return f.Has(item) })
}

// Have reports whether an item is a document of the formats of one of the extensions.
func Have(extensions []Extension, item *krm.Item) bool {
	return slices.ContainsFunc(extensions, func(e Extension) bool { return e.Has(item) })
}

// Ask reports whether an item asks one of the extensions for something to be rendered.
func Ask(extensions []Extension, item *krm.Item) bool {
	return slices.ContainsFunc(extensions, func(e Extension) bool { return e.IsRequest != nil && e.IsRequest(item) })
}

// Rules returns the documents and rules of extensions.
func Rules(extensions []Extension) []validate.Extension {
	all := make([]validate.Extension, len(extensions))
	for i, e := range extensions {
		all[i] = e.Rules
	}
	return all
}

// Formats returns the formats of extensions.
func Formats(extensions []Extension) []load.Format {
	var all []load.Format
	for _, e := range extensions {
		all = append(all, e.Formats...)
	}
	return all
}
