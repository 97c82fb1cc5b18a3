// Package difference tells how two states of a catalog differ, and whether the newer one keeps what is published.
package difference

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Change is one difference.
type Change struct {
	// Sign is "+" for what is new, "-" for what is gone, "~" for what is told otherwise, "!" for what must not be.
	Sign string
	// Subject is the plugin, the version or the channel.
	Subject string
	Text    string
}

func (c Change) String() string { return fmt.Sprintf("%s %s: %s", c.Sign, c.Subject, c.Text) }

// Breaks tells whether the change takes away or alters what was published.
func (c Change) Breaks() bool { return c.Sign == "!" }

// Broken returns the changes that take away or alter what was published.
func Broken(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return !c.Breaks() })
}

// Compare returns how two catalogs differ, sorted by plugin, a plugin's versions the highest first.
func Compare(older, newer *resolve.CatalogDocument) []Change {
	c := &comparison{}
	c.fact("catalog", "description", older.Spec.Description, newer.Spec.Description)
	c.fact("catalog", "priority", strconv.Itoa(older.Spec.Priority), strconv.Itoa(newer.Spec.Priority))
	for _, name := range union(pluginNames(older), pluginNames(newer)) {
		was, is := older.Plugin(name), newer.Plugin(name)
		if was == nil {
			was = &v1alpha1.CatalogPlugin{Name: name}
		}
		if is == nil {
			is = &v1alpha1.CatalogPlugin{Name: name}
		}
		c.plugin(was, is)
	}
	return c.changes
}

type comparison struct{ changes []Change }

func (c *comparison) note(sign, subject, format string, args ...any) {
	c.changes = append(c.changes, Change{Sign: sign, Subject: subject, Text: fmt.Sprintf(format, args...)})
}

// fact notes a text that is told otherwise.
func (c *comparison) fact(subject, field, was, is string) {
	switch {
	case was == is:
	case was == "":
		c.note("~", subject, "%s %q", field, is)
	case is == "":
		c.note("~", subject, "%s is not %q any more", field, was)
	default:
		c.note("~", subject, "%s %q, before %q", field, is, was)
	}
}

func (c *comparison) plugin(was, is *v1alpha1.CatalogPlugin) {
	c.fact(is.Name, "description", was.Description, is.Description)
	c.fact(is.Name, "deprecated", was.Deprecated, is.Deprecated)
	for _, channel := range union(slices.Collect(maps.Keys(was.Channels)), slices.Collect(maps.Keys(is.Channels))) {
		c.fact(is.Name+"@"+channel, "names", was.Channels[channel], is.Channels[channel])
	}
	versions := union(versionNames(was), versionNames(is))
	slices.SortFunc(versions, documents.HighestFirst)
	for _, v := range versions {
		c.version(is.Name+"@"+v, was.Version(v), is.Version(v))
	}
}

func (c *comparison) version(subject string, was, is *v1alpha1.CatalogVersion) {
	switch {
	case was == nil:
		c.note("+", subject, "%s", is.Digest)
		was = &v1alpha1.CatalogVersion{Version: is.Version, Digest: is.Digest, Description: is.Description, Source: is.Source}
	case is == nil:
		c.note("!", subject, "must stay, since a published version may be what a sandbox has: restore it, or yank it")
		return
	case was.Digest != is.Digest:
		c.note("!", subject, "%s; it was %s and is %s now", exists(subject), was.Digest, is.Digest)
	}
	c.fact(subject, "description", was.Description, is.Description)
	c.fact(subject, "released", was.Released, is.Released)
	c.fact(subject, "deprecated", was.Deprecated, is.Deprecated)
	c.fact(subject, "yanked", was.Yanked, is.Yanked)
	c.fact(subject, "requires kubernetes", kubernetes(was), kubernetes(is))
	c.fact(subject, "source", was.Source, is.Source)
}

func exists(subject string) string {
	name, err := version.ParseName(subject)
	if err != nil {
		return err.Error()
	}
	return version.AlreadyExists(name)
}

func kubernetes(v *v1alpha1.CatalogVersion) string {
	if v.Requires == nil {
		return ""
	}
	return v.Requires.Kubernetes
}

func pluginNames(c *resolve.CatalogDocument) []string {
	names := make([]string, 0, len(c.Spec.Plugins))
	for i := range c.Spec.Plugins {
		names = append(names, c.Spec.Plugins[i].Name)
	}
	return names
}

func versionNames(p *v1alpha1.CatalogPlugin) []string {
	names := make([]string, 0, len(p.Versions))
	for i := range p.Versions {
		names = append(names, p.Versions[i].Version)
	}
	return names
}

// union returns the texts of both lists, each once, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
