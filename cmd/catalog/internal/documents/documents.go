// Package documents reads the plugin and Catalog documents that the catalog command works on, and writes Catalog
// documents. What is wrong with documents is told all at once, as Findings; other errors are about files.
package documents

import (
	"cmp"
	"fmt"
	"io"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Read reads files and folders as file mode of the functions does, `-` from stdin.
func Read(paths []string, set map[string]string, stdin io.Reader) ([]*krm.Item, error) {
	read, err := load.Read(paths, load.Options{Values: set, Input: stdin})
	if err != nil {
		return nil, err
	}
	items := make([]*krm.Item, len(read.Documents))
	for i, d := range read.Documents {
		items[i] = d.Item
	}
	return items, refused(read.Results())
}

// Of returns the items of one kind of our group.
func Of(kind string, items []*krm.Item) []*krm.Item {
	var chosen []*krm.Item
	for _, item := range items {
		if item.Kind() == kind && item.APIVersion() == contract.APIVersion {
			chosen = append(chosen, item)
		}
	}
	return chosen
}

// ReadCatalog reads a file that holds one Catalog document and nothing else, so that it can be written again.
func ReadCatalog(path string) (*resolve.CatalogDocument, error) {
	items, err := Read([]string{path}, nil, nil)
	if err != nil {
		return nil, err
	}
	if catalogs := Of(contract.Catalog, items); len(items) != 1 || len(catalogs) != 1 {
		return nil, fmt.Errorf("%s must hold one %s document and nothing else, not %d of %d documents",
			path, contract.Catalog, len(catalogs), len(items))
	}
	return Sound(items[0])
}

// Sound decodes a Catalog document in which nothing is wrong.
func Sound(item *krm.Item) (*resolve.CatalogDocument, error) {
	read, problems := resolve.ReadCatalogDocument(item)
	problems = append(problems, read.Check()...)
	results := make(krm.Results, 0, len(problems))
	for _, problem := range problems {
		results = append(results, krm.At(item, problem.Path, problem.Severity, problem.Message))
	}
	return read, refused(results)
}

// HighestFirst compares versions of a sound catalog for sorting.
func HighestFirst(a, b string) int {
	one, oneErr := resolve.StrictVersion(a)
	other, otherErr := resolve.StrictVersion(b)
	if oneErr != nil || otherErr != nil {
		return cmp.Compare(a, b)
	}
	return cmp.Or(other.Compare(one), cmp.Compare(a, b))
}
