package rplug

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// ofKind returns the items of one kind of our group.
func ofKind(kind string, items []*krm.Item) []*krm.Item {
	var chosen []*krm.Item
	for _, item := range items {
		if item.Kind() == kind && item.APIVersion() == contract.APIVersion {
			chosen = append(chosen, item)
		}
	}
	return chosen
}

// readCatalogFile reads a file that holds one Catalog document and nothing else, so that it can be written again.
func readCatalogFile(path string) (*resolve.CatalogDocument, error) {
	items, err := ReadWith([]string{path}, load.Options{})
	if err != nil {
		return nil, err
	}
	if catalogs := ofKind(contract.Catalog, items); len(items) != 1 || len(catalogs) != 1 {
		return nil, fmt.Errorf("%s must hold one %s document and nothing else, not %d of %d documents",
			path, contract.Catalog, len(catalogs), len(items))
	}
	return readCatalog(items[0])
}

// readCatalog decodes a Catalog document without errors.
func readCatalog(item *krm.Item) (*resolve.CatalogDocument, error) {
	catalog, results := resolve.ReadCatalogDocument(item)
	return catalog, report.Refused(results)
}

// updateCatalog writes the Catalog document that change returns to a file, unless the file has the same catalog: its
// comments stay then. Other commands wait that update catalogs in the same folder.
func updateCatalog(ctx context.Context, path string, change func() (*resolve.CatalogDocument, error)) error {
	return atomicfile.UpdateFile(ctx, path, func() ([]byte, error) {
		catalog, err := change()
		if err != nil {
			return nil, err
		}
		older, err := readCatalogFile(path)
		if err == nil && len(resolve.Diff(older, catalog)) == 0 {
			return nil, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		text, err := catalog.Bytes()
		if err != nil {
			return nil, err
		}
		before, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return text, nil
		}
		return withComments(before, text), err
	})
}
