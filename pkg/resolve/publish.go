package resolve

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/digest"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// PublishOptions say what is noted of new versions.
type PublishOptions struct {
	// Released is the day of the release, such as "2026-01-20"; empty means none.
	Released string
	// Folder is where the catalog is kept: sources are relative to it.
	Folder string
}

// Publish lists plugin documents in a catalog and returns the versions that are new, in the order of the documents. What
// is listed already must have the same digest; every document must keep the rules of plugins, since it cannot be fixed
// once it is published. If one of the results is an error nothing may be done with the catalog; else they are warnings.
func Publish(c *CatalogDocument, plugins []*krm.Item, options PublishOptions) ([]string, krm.Results, error) {
	results, err := checkPlugins(c, plugins)
	if err != nil || results.Failed() {
		return nil, results.Sort(), err
	}
	var added []string
	for _, item := range plugins {
		name, err := version.ParseName(document.Identity(item))
		if err != nil {
			return nil, nil, err // checked above
		}
		version, problem := describeVersion(item, name, options)
		if problem != nil {
			results = append(results, *problem)
		}
		if c.addVersion(name.Bare, version) {
			added = append(added, name.String())
		}
	}
	describePlugins(c, plugins)
	item, err := c.newItem()
	if err != nil {
		return nil, nil, err
	}
	return added, append(results, Lint(append(slices.Clone(plugins), item))...).Sort(), nil
}

// checkPlugins checks the rules of plugins. If the documents cannot be in one catalog it also reports what they change in
// this one.
func checkPlugins(c *CatalogDocument, plugins []*krm.Item) (krm.Results, error) {
	report, err := validate.Check(krm.NewList(plugins...), validate.Options{})
	if err != nil {
		return nil, err
	}
	if alone := krm.Results(Lint(plugins)); alone.Failed() || report.Results.Failed() {
		item, err := c.newItem()
		return append(report.Results, Lint(append(slices.Clone(plugins), item))...), err
	}
	return report.Results, nil
}

// describeVersion returns the catalog's version of a document, or why it has no digest.
func describeVersion(item *krm.Item, name version.Name, options PublishOptions) (v1alpha1.CatalogVersion, *krm.Result) {
	described := v1alpha1.CatalogVersion{Version: name.Version.String(), Released: options.Released}
	if file := item.PlaceOf("").File; file != "" {
		if relative, err := filepath.Rel(options.Folder, file); err == nil {
			described.Source = filepath.ToSlash(relative)
		}
	}
	sum, problem := digest.Of(name, krm.Value(item.YNode(), "spec"))
	if problem != nil {
		result := krm.At(item, problem.Path, krm.Error, problem.Message)
		return described, &result
	}
	described.Digest = sum
	return described, nil
}

// addVersion adds a version that is not listed, and reports whether it did.
func (c *CatalogDocument) addVersion(bare string, added v1alpha1.CatalogVersion) bool {
	p := c.Plugin(bare)
	if p == nil {
		c.Spec.Plugins = append(c.Spec.Plugins, v1alpha1.CatalogPlugin{Name: bare})
		p = c.Plugin(bare)
	}
	if p.Version(added.Version) != nil {
		return false
	}
	p.Versions = append(p.Versions, added)
	return true
}

// describePlugins gives plugins that have no description the one of their highest version that has one.
func describePlugins(c *CatalogDocument, plugins []*krm.Item) {
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

// newItem returns the document as it will be written.
func (c *CatalogDocument) newItem() (*krm.Item, error) {
	text, err := c.Bytes()
	if err != nil {
		return nil, err
	}
	return krm.NewItem(text)
}
