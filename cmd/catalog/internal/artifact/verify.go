package artifact

import (
	"fmt"
	"testing/fstest"

	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/digest"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// verify reads the files of a bundle as the functions will, and checks that they are what the catalog lists: every
// version has its document, every document is listed with its digest, and nothing else is there.
func (b *Bundle) verify() error {
	items, err := b.items()
	if err != nil {
		return err
	}
	if b.Catalog, err = documents.Sound(items[CatalogFile]); err != nil {
		return err
	}
	all := make([]*krm.Item, 0, len(items))
	for _, name := range b.Paths() {
		all = append(all, items[name])
	}
	if results := krm.Results(resolve.Lint(all)); results.Failed() {
		return documents.Findings(results)
	}
	listed := 1
	for i := range b.Catalog.Spec.Plugins {
		p := &b.Catalog.Spec.Plugins[i]
		for j := range p.Versions {
			at := pathOf(p.Name, p.Versions[j].Version)
			if items[at] == nil {
				return fmt.Errorf("%s@%s must have its document: there is none below the paths", p.Name, p.Versions[j].Version)
			}
			if err := confirm(items[at], at, p.Versions[j].Digest); err != nil {
				return err
			}
			listed++
		}
	}
	if listed != len(items) {
		return fmt.Errorf("every document must be listed, and %d of %d are not: catalog index lists them",
			len(items)-listed, len(items)-1)
	}
	return nil
}

// items reads each file as one document of our group.
func (b *Bundle) items() (map[string]*krm.Item, error) {
	files := fstest.MapFS{}
	for name, text := range b.Files {
		files[name] = &fstest.MapFile{Data: text}
	}
	items := make(map[string]*krm.Item, len(b.Files))
	for _, name := range b.Paths() {
		read, err := load.Read([]string{name}, load.Options{Files: files})
		if err != nil {
			return nil, err
		}
		if results := read.Results(); results.Failed() {
			return nil, documents.Findings(results)
		}
		kind := contract.ResourcePlugin
		if name == CatalogFile {
			kind = contract.Catalog
		}
		if d := read.Documents; len(d) != 1 || d[0].Native || d[0].Item.Kind() != kind ||
			d[0].Item.APIVersion() != contract.APIVersion {
			return nil, fmt.Errorf("%s must hold one %s document of %s and nothing else", name, kind, contract.APIVersion)
		}
		items[name] = read.Documents[0].Item
	}
	return items, nil
}

// confirm checks that a document is the version that its path says, with the digest that the catalog has.
func confirm(item *krm.Item, at, want string) error {
	name, err := version.ParseName(document.Identity(item))
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if file(name) != at {
		return fmt.Errorf("%s must be the document that its path says, not %s", at, name)
	}
	sum, err := digest.Of(name, krm.Value(item.YNode(), "spec"))
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if sum != want {
		return fmt.Errorf("%s; the catalog has it as %s and %s is %s", version.AlreadyExists(name), want, at, sum)
	}
	return nil
}
