// Package publish changes what a catalog lists, and refuses whatever would change a version that is listed already.
package publish

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
	"github.com/resource-plugins/krm-functions/internal/digest"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Options say what is noted of versions that are new.
type Options struct {
	// Released is the day of the release, such as "2026-01-20"; empty notes none.
	Released string
	// Folder is where the catalog is kept: sources are relative to it.
	Folder string
}

// Add lists plugin documents in a catalog and returns the versions that are new, in the order of the documents. What is
// listed already must have the same digest; every document must keep the rules of plugins, since it cannot be mended
// once it is published. The results are warnings. Where something is wrong the error is documents.Findings, and the
// catalog must not be used any more.
func Add(c *resolve.CatalogDocument, plugins []*krm.Item, options Options) ([]version.Name, krm.Results, error) {
	results, err := check(c, plugins)
	if err != nil {
		return nil, nil, err
	}
	if results.Failed() {
		return nil, nil, documents.Findings(results.Sort())
	}
	var added []version.Name
	for _, item := range plugins {
		name, err := version.ParseName(document.Identity(item))
		if err != nil {
			return nil, nil, err // which checking told
		}
		entry, found := describe(item, name, options)
		results = append(results, found...)
		if list(c, name.Bare, entry) {
			added = append(added, name)
		}
	}
	describePlugins(c, plugins)
	item, err := itemOf(c)
	if err != nil {
		return nil, nil, err
	}
	results = append(results, resolve.Lint(append(slices.Clone(plugins), item))...).Sort()
	if results.Failed() {
		return nil, nil, documents.Findings(results)
	}
	return added, results, nil
}

// check looks for what the rules of plugins forbid and, where documents cannot be in one catalog, for what they change of
// the catalog as it is: what they would add to it would only be told of twice.
func check(c *resolve.CatalogDocument, plugins []*krm.Item) (krm.Results, error) {
	report, err := validate.Check(krm.NewList(plugins...), validate.Options{})
	if err != nil {
		return nil, err
	}
	if alone := krm.Results(resolve.Lint(plugins)); alone.Failed() || report.Results.Failed() {
		item, err := itemOf(c)
		return append(report.Results, resolve.Lint(append(slices.Clone(plugins), item))...), err
	}
	return report.Results, nil
}

// describe returns what a catalog says of a document.
func describe(item *krm.Item, name version.Name, options Options) (v1alpha1.CatalogVersion, krm.Results) {
	entry := v1alpha1.CatalogVersion{Version: name.Version.String(), Released: options.Released}
	if file := item.PlaceOf("").File; file != "" {
		if relative, err := filepath.Rel(options.Folder, file); err == nil {
			entry.Source = filepath.ToSlash(relative)
		}
	}
	sum, err := digest.Of(name, krm.Value(item.YNode(), "spec"))
	var place *digest.Error
	if errors.As(err, &place) {
		return entry, krm.Results{krm.At(item, place.Path, krm.Error, place.Message)}
	}
	entry.Digest = sum
	return entry, nil
}

// list adds a version that is not listed, and tells whether it did.
func list(c *resolve.CatalogDocument, bare string, entry v1alpha1.CatalogVersion) bool {
	p := c.Plugin(bare)
	if p == nil {
		c.Spec.Plugins = append(c.Spec.Plugins, v1alpha1.CatalogPlugin{Name: bare})
		p = c.Plugin(bare)
	}
	if p.Version(entry.Version) != nil {
		return false
	}
	p.Versions = append(p.Versions, entry)
	return true
}

// describePlugins gives plugins that have no description the one of their highest version that has one.
func describePlugins(c *resolve.CatalogDocument, plugins []*krm.Item) {
	type described struct {
		name version.Name
		text string
	}
	var all []described
	for _, item := range plugins {
		name, err := version.ParseName(document.Identity(item))
		if read, _ := document.ReadPlugin(item); err == nil && read.Spec.Description != "" {
			all = append(all, described{name, read.Spec.Description})
		}
	}
	slices.SortStableFunc(all, func(a, b described) int {
		return cmp.Or(b.name.Version.Compare(a.name.Version), cmp.Compare(a.text, b.text))
	})
	for _, d := range all {
		if p := c.Plugin(d.name.Bare); p != nil && p.Description == "" {
			p.Description = d.text
		}
	}
}

// itemOf returns the catalog as a document, as it will be written.
func itemOf(c *resolve.CatalogDocument) (*krm.Item, error) {
	text, err := c.Bytes()
	if err != nil {
		return nil, err
	}
	return krm.NewItem(text)
}
