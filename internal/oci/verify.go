package oci

import (
	"fmt"
	"testing/fstest"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/digest"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// verify reads the files of a bundle as the functions will, and checks that they are what the catalog lists: every
// version has its document, every document is listed with its digest, and nothing else is there.
func (b *Bundle) verify() error {
	items := make(map[string]*krm.Item, len(b.Files))
	all := make([]*krm.Item, 0, len(b.Files))
	for _, name := range b.paths() {
		item, err := readFile(name, b.Files[name])
		if err != nil {
			return err
		}
		items[name], all = item, append(all, item)
	}
	catalog, results := resolve.ReadCatalogDocument(items[CatalogFile])
	if err := report.Refused(results); err != nil {
		return err
	}
	b.Catalog = catalog
	if err := report.Refused(resolve.Lint(all)); err != nil {
		return err
	}
	listed := 1
	for i := range catalog.Spec.Plugins {
		p := &catalog.Spec.Plugins[i]
		for j := range p.Versions {
			path := pathOf(p.Name, p.Versions[j].Version)
			if items[path] == nil {
				return fmt.Errorf("%s@%s must have its document: there is none below the paths", p.Name, p.Versions[j].Version)
			}
			if err := checkDocument(items[path], path, p.Versions[j].Digest); err != nil {
				return err
			}
			listed++
		}
	}
	if listed != len(items) {
		return fmt.Errorf("every document must be listed, and %d of %d are not: rplug catalog index lists them",
			len(items)-listed, len(items)-1)
	}
	return nil
}

// readFile reads a file of a bundle: one document of the kind that its path says.
func readFile(name string, text []byte) (*krm.Item, error) {
	read, err := load.Read([]string{name}, load.Options{Files: fstest.MapFS{name: {Data: text}}})
	if err != nil {
		return nil, err
	}
	if err := report.Refused(read.Results()); err != nil {
		return nil, err
	}
	kind := contract.ResourcePlugin
	if name == CatalogFile {
		kind = contract.Catalog
	}
	if d := read.Documents; len(d) != 1 || d[0].Native || d[0].Item.Kind() != kind ||
		d[0].Item.APIVersion() != contract.APIVersion {
		return nil, fmt.Errorf("%s must hold one %s document of %s and nothing else", name, kind, contract.APIVersion)
	}
	return read.Documents[0].Item, nil
}

// checkDocument checks that a document is the version that its path says, with the digest that the catalog has.
func checkDocument(item *krm.Item, path, want string) error {
	name, err := version.ParseName(document.Identity(item))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if file(name) != path {
		return fmt.Errorf("%s must be the document that its path says, not %s", path, name)
	}
	sum, problem := digest.Of(name, krm.Value(item.YNode(), "spec"))
	if problem != nil {
		return fmt.Errorf("%s: %s", path, problem)
	}
	if sum != want {
		return fmt.Errorf("%s; the catalog has it as %s and %s is %s", version.AlreadyExists(name), want, path, sum)
	}
	return nil
}
