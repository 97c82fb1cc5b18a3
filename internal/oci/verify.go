package oci

import (
	"errors"
	"fmt"
	"testing/fstest"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// verify reads the files of a bundle as the functions will, and compares them with the catalog: every version has its
// document, every document is listed with its digest, and there are no other files.
func (b *Bundle) verify() (err error) {
	if b.Catalog, err = readCatalog(b.Files[CatalogFile]); err != nil {
		return err
	}
	items := []*krm.Item{b.Catalog.Item}
	var wrong []error
	for _, p := range b.Catalog.Spec.Plugins {
		for _, v := range p.Versions {
			item, err := b.document(p.Name, v)
			items, wrong = append(items, item), append(wrong, err)
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	if others := len(b.Files) - len(items); others > 0 {
		return fmt.Errorf("every document must be listed, and %d of %d are not: rplug catalog index lists them",
			others, len(b.Files)-1)
	}
	return report.Refused(resolve.Lint(items))
}

// document reads the document of a version, which must match its path and the catalog's digest.
func (b *Bundle) document(bare string, v v1alpha1.CatalogVersion) (*krm.Item, error) {
	path := pathOf(bare, v.Version)
	text, ok := b.Files[path]
	if !ok {
		return nil, fmt.Errorf("%s@%s must have its document below the paths", bare, v.Version)
	}
	item, err := readFile(path, contract.ResourcePlugin, text)
	if err != nil {
		return nil, err
	}
	name, err := document.ParsePluginName(document.Identity(item))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if file(name) != path {
		return nil, fmt.Errorf("%s must be the document that its path says, not %s", path, name)
	}
	sum, problem := document.Digest(name, krm.Value(item.YNode(), "spec"))
	if problem != nil {
		return nil, fmt.Errorf("%s: %s", path, problem)
	}
	if sum != v.Digest {
		return nil, fmt.Errorf("%s; the catalog has it as %s and %s is %s", document.AlreadyExists(name), v.Digest, path, sum)
	}
	return item, nil
}

// readCatalog reads the catalog of a bundle or of a folder.
func readCatalog(text []byte) (*resolve.CatalogDocument, error) {
	item, err := readFile(CatalogFile, contract.Catalog, text)
	if err != nil {
		return nil, err
	}
	catalog, results := resolve.ReadCatalogDocument(item)
	return catalog, report.Refused(results)
}

// readFile reads a file of a bundle: one document of a kind.
func readFile(name, kind string, text []byte) (*krm.Item, error) {
	read, err := load.Read([]string{name}, load.Options{Files: fstest.MapFS{name: {Data: text}}})
	if err != nil {
		return nil, err
	}
	if err := report.Refused(read.Results()); err != nil {
		return nil, err
	}
	if d := read.Documents; len(d) != 1 || d[0].Native || d[0].Item.Kind() != kind ||
		d[0].Item.APIVersion() != contract.APIVersion {
		return nil, fmt.Errorf("%s must hold one %s document of %s and nothing else", name, kind, contract.APIVersion)
	}
	return read.Documents[0].Item, nil
}
