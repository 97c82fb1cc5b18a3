package resolve

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// PublishOptions are properties of new versions.
type PublishOptions struct {
	// Released is the day of the release, such as "2026-01-20", or empty.
	Released string
	// Channel is the channel that moves to new versions, unless it has a higher one or they are prereleases; empty for none.
	Channel string
	// Folder is the folder of the catalog: sources are relative to it.
	Folder string
}

// Publish lists plugin documents in a catalog and returns the new versions, sorted by plugin, the highest first.
// Versions that are already listed must have the same digest. Every document must pass the rules for plugins, since it
// cannot be fixed once it is published. If a result is an error, the catalog must not be used; all other results are
// warnings.
func Publish(c *CatalogDocument, plugins []*krm.Item, options PublishOptions) ([]string, krm.Results, error) {
	list := krm.NewList(plugins...)
	report, err := validate.Check(list, validate.Options{})
	if err != nil {
		return nil, nil, err
	}
	results, _ := validate.Suppress(list, report.Results, validate.Options{})
	documents := NewCatalog(plugins)
	var added []string
	if !results.Failed() && !krm.Results(documents.Problems()).Failed() {
		var problems krm.Results
		added, problems = c.list(documents, options)
		results = append(results, problems...)
	}
	text, err := c.Bytes()
	if err != nil {
		return nil, nil, err
	}
	item, err := krm.NewItem(text)
	if err != nil {
		return nil, nil, err
	}
	return added, append(results, Lint(append(slices.Clone(plugins), item))...).Sort(), nil
}

// list adds the new versions to a catalog. A plugin without a description gets that of its highest version with one.
func (c *CatalogDocument) list(documents *Catalog, options PublishOptions) (added []string, problems krm.Results) {
	for _, bare := range documents.names {
		if c.Plugin(bare) == nil {
			c.Spec.Plugins = append(c.Spec.Plugins, v1alpha1.CatalogPlugin{Name: bare})
		}
		p := c.Plugin(bare)
		for _, e := range documents.plugins[bare].entries {
			if e.load() != nil {
				problems = append(problems, e.broken.Result())
				continue
			}
			if p.Description == "" {
				p.Description = e.plugin.Spec.Description
			}
			if p.Version(e.version()) == nil {
				p.Versions = append(p.Versions, e.publish(options))
				added = append(added, e.name.String())
				moveChannel(p, options.Channel, e.name)
			}
		}
	}
	return added, problems
}

// moveChannel moves a channel to a version.
func moveChannel(p *v1alpha1.CatalogPlugin, channel string, to document.PluginName) {
	current, err := document.ParsePluginName(p.Name + "@" + cmp.Or(p.Channels[channel], "0.0.0-0"))
	if channel == "" || to.Version.Prerelease() != "" || err == nil && !to.Version.GreaterThan(current.Version) {
		return
	}
	if p.Channels == nil {
		p.Channels = map[string]string{}
	}
	p.Channels[channel] = to.Version.String()
}

// publish returns the catalog entry of a version.
func (e *entry) publish(options PublishOptions) v1alpha1.CatalogVersion {
	published := v1alpha1.CatalogVersion{Version: e.version(), Digest: e.digest, Released: options.Released}
	if file := e.item.PlaceOf("").File; file != "" {
		if relative, err := filepath.Rel(options.Folder, file); err == nil {
			published.Source = filepath.ToSlash(relative)
		}
	}
	return published
}
