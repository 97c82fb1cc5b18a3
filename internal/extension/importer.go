package extension

import (
	"cmp"
	"slices"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Importer completes the packages of a feature that import-plugin adds to a list.
type Importer interface {
	// Complete checks the documents of a package that were read from a path, and annotates them. The image is that of the
	// package, empty if it is not known.
	Complete(path string, items []*krm.Item, image string) krm.Results
	// IsPart reports whether an item of a list is a document of a package that was completed before.
	IsPart(item *krm.Item) bool
	// Owns reports whether an annotation comes with a package: it is not kept when the package is imported again.
	Owns(annotation string) bool
	// Nameless returns the required change of a document without a name, empty if it is not known.
	Nameless(item *krm.Item) string
}

// Importers are the importers of extensions; together they are an Importer.
type Importers []Importer

// NewImporters returns the importers of extensions.
func NewImporters(extensions []Extension) (all Importers) {
	for _, e := range extensions {
		if e.Importer != nil {
			all = append(all, e.Importer)
		}
	}
	return all
}

// Complete implements Importer.
func (all Importers) Complete(path string, items []*krm.Item, image string) (results krm.Results) {
	for _, one := range all {
		results = append(results, one.Complete(path, items, image)...)
	}
	return results
}

// IsPart implements Importer.
func (all Importers) IsPart(item *krm.Item) bool {
	return slices.ContainsFunc(all, func(one Importer) bool { return one.IsPart(item) })
}

// Owns implements Importer.
func (all Importers) Owns(annotation string) bool {
	return slices.ContainsFunc(all, func(one Importer) bool { return one.Owns(annotation) })
}

// Nameless implements Importer.
func (all Importers) Nameless(item *krm.Item) (text string) {
	for _, one := range all {
		text = cmp.Or(text, one.Nameless(item))
	}
	return text
}
