// Package artifact carries a catalog with its plugins as one OCI artifact: a manifest whose layers are the Catalog
// document and each plugin document with its templates filled in. The same catalog is always the same manifest.
//
// What a registry returns is hostile until it is verified: sizes before anything is fetched, names before they become
// paths, OCI digests of every blob, and the digests that the catalog has of its plugins.
package artifact

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// CatalogFile is where a bundle has its catalog.
const CatalogFile = "catalog.yaml"

// Bundle is a catalog with the documents of all its versions.
type Bundle struct {
	Catalog *resolve.CatalogDocument
	// Files are the texts by path: CatalogFile, and `plugins/NAME/VERSION.yaml` of each version.
	Files map[string][]byte
}

// Pack returns the bundle of a catalog that is kept in a folder. There must be a document for each version, and no
// other. Sources that are the documents' own files become their paths in the bundle.
func Pack(list *resolve.CatalogDocument, plugins []*krm.Item, folder string) (*Bundle, error) {
	b := &Bundle{Files: make(map[string][]byte, len(plugins)+1)}
	moved := map[string]string{}
	for _, item := range plugins {
		name, err := version.ParseName(document.Identity(item))
		if err != nil {
			return nil, err
		}
		if b.Files[file(name)], err = item.Bytes(); err != nil {
			return nil, err
		}
		if relative, err := filepath.Rel(folder, item.PlaceOf("").File); err == nil {
			moved[file(name)] = filepath.ToSlash(relative)
		}
	}
	text, err := relocate(list, moved).Bytes()
	if err != nil {
		return nil, err
	}
	b.Files[CatalogFile] = text
	return b, b.verify()
}

// relocate returns the catalog with the sources of the bundle.
func relocate(list *resolve.CatalogDocument, moved map[string]string) *resolve.CatalogDocument {
	twin := *list
	twin.Spec.Plugins = slices.Clone(list.Spec.Plugins)
	for i := range twin.Spec.Plugins {
		p := &twin.Spec.Plugins[i]
		p.Versions = slices.Clone(p.Versions)
		for j := range p.Versions {
			v := &p.Versions[j]
			if to := pathOf(p.Name, v.Version); v.Source == "" || v.Source == moved[to] {
				v.Source = to
			}
		}
	}
	return &twin
}

// file is where a bundle has a version's document.
func file(name version.Name) string { return pathOf(name.Bare, name.Version.String()) }

func pathOf(bare, v string) string { return path.Join("plugins", bare, v+".yaml") }

// checkPath refuses every path but those that a bundle has.
func checkPath(text string) error {
	if text == CatalogFile {
		return nil
	}
	parts := strings.Split(text, "/")
	base, isYAML := strings.CutSuffix(parts[len(parts)-1], ".yaml")
	if len(parts) != 3 || parts[0] != "plugins" || !isYAML || version.CheckBare(parts[1]) != nil {
		return fmt.Errorf("path %q must be %s or plugins/NAME/VERSION.yaml", text, CatalogFile)
	}
	if v, err := resolve.StrictVersion(base); err != nil || v.String() != base {
		return fmt.Errorf("path %q must have a full semver such as 1.0.0, not %q", text, base)
	}
	return nil
}

// Paths returns the paths of the files, sorted, the catalog last: who finds it finds what it lists.
func (b *Bundle) Paths() []string {
	var paths []string
	for name := range b.Files {
		if name != CatalogFile {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return append(paths, CatalogFile)
}
