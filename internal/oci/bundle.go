// Package oci stores a catalog with its plugins as one OCI artifact: a manifest whose layers are the Catalog document
// and each plugin document with its templates filled in. The same catalog is always the same manifest.
//
// Pack creates a Bundle of a catalog and its plugins; Push stores it, Fetch returns it, and Bundle.Unpack writes it to
// a folder. OpenSource and OpenTarget open repositories of registries and folders in OCI layout.
//
// Data from a registry is untrusted until it is verified: sizes before anything is fetched, names before they become
// paths, the OCI digest of every blob, and the catalog's digests of its plugins.
package oci

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// CatalogFile is the path of a bundle's catalog.
const CatalogFile = "catalog.yaml"

// Bundle is a catalog with the documents of all its versions.
type Bundle struct {
	Catalog *resolve.CatalogDocument
	// Files are the texts by path: CatalogFile, and `plugins/NAME/VERSION.yaml` of each version.
	Files map[string][]byte
}

// Pack returns the bundle of a catalog in a folder. There must be one document for each version, and no others. Sources
// that are the documents' own files become their paths in the bundle.
func Pack(catalog *resolve.CatalogDocument, plugins []*krm.Item, folder string) (*Bundle, error) {
	b := &Bundle{Files: make(map[string][]byte, len(plugins)+1)}
	moved := map[string]string{}
	for _, item := range plugins {
		name, err := document.ParsePluginName(document.Identity(item))
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
	text, err := relocate(catalog, moved).Bytes()
	if err != nil {
		return nil, err
	}
	b.Files[CatalogFile] = text
	return b, b.verify()
}

// relocate returns a copy of the catalog whose sources are the paths in the bundle.
func relocate(catalog *resolve.CatalogDocument, moved map[string]string) *resolve.CatalogDocument {
	relocated := *catalog
	relocated.Spec.Plugins = slices.Clone(catalog.Spec.Plugins)
	for i := range relocated.Spec.Plugins {
		p := &relocated.Spec.Plugins[i]
		p.Versions = slices.Clone(p.Versions)
		for j := range p.Versions {
			v := &p.Versions[j]
			if to := pathOf(p.Name, v.Version); v.Source == "" || v.Source == moved[to] {
				v.Source = to
			}
		}
	}
	return &relocated
}

// file returns the path of a version's document in a bundle.
func file(name document.PluginName) string { return pathOf(name.Bare, name.Version.String()) }

func pathOf(bare, v string) string { return path.Join("plugins", bare, v+".yaml") }

// checkPath accepts only paths of files in a bundle.
func checkPath(text string) error {
	if parts := strings.Split(strings.TrimSuffix(text, ".yaml"), "/"); len(parts) == 3 {
		if name, err := document.ParsePluginName(parts[1] + "@" + parts[2]); err == nil && file(name) == text {
			return nil
		}
	}
	if text == CatalogFile {
		return nil
	}
	return fmt.Errorf("path %q must be %s or plugins/NAME/VERSION.yaml with a full semver such as 1.0.0", text, CatalogFile)
}

// paths returns the paths of the files, sorted, the catalog last: it must not be written before the documents that it
// lists.
func (b *Bundle) paths() []string {
	paths := slices.Sorted(maps.Keys(b.Files))
	return append(slices.DeleteFunc(paths, func(name string) bool { return name == CatalogFile }), CatalogFile)
}
