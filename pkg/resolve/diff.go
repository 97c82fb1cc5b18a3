package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// Change is one difference between two states of a catalog.
type Change struct {
	// Sign is "+" for an addition, "~" for a changed value, "!" for a change that is not allowed.
	Sign string
	// Subject is the plugin or package, the version or the channel.
	Subject string
	Text    string
	// Lost is a property that the subject has lost and that others rely on: `published`, `yanked "REASON"` or
	// `deprecated "REASON"`. It is empty for all other changes.
	Lost string
}

func (c Change) String() string { return fmt.Sprintf("%s %s: %s", c.Sign, c.Subject, c.Text) }

// Breaks reports whether the change removes or alters a published version.
func (c Change) Breaks() bool { return c.Sign == "!" }

// Losses returns the versions, digests and reasons for yanking or deprecation that an older catalog has and a newer one
// lacks. Without them a reference may resolve to a withdrawn version.
func Losses(older, newer *CatalogDocument) []Change {
	return slices.DeleteFunc(Diff(older, newer), func(c Change) bool { return !c.Breaks() && c.Lost == "" })
}

// Diff returns the differences between two catalogs: plugins sorted by name, then packages, the versions of each the
// highest first.
func Diff(older, newer *CatalogDocument) []Change {
	c := &comparison{}
	c.field("catalog", "description", older.Spec.Description, newer.Spec.Description)
	c.field("catalog", "priority", strconv.Itoa(older.Spec.Priority), strconv.Itoa(newer.Spec.Priority))
	for _, name := range union(pluginNames(older), pluginNames(newer)) {
		none := &v1alpha1.CatalogPlugin{Name: name}
		c.plugin(cmp.Or(older.Plugin(name), none), cmp.Or(newer.Plugin(name), none))
	}
	for _, name := range union(packageNames(older), packageNames(newer)) {
		none := &v1alpha1.CatalogPackage{Name: name}
		c.crossplanePackage(cmp.Or(older.Package(name), none), cmp.Or(newer.Package(name), none))
	}
	return c.changes
}

type comparison struct{ changes []Change }

func (c *comparison) add(sign, subject, format string, args ...any) {
	c.changes = append(c.changes, Change{Sign: sign, Subject: subject, Text: fmt.Sprintf(format, args...)})
}

// field adds a change of a field.
func (c *comparison) field(subject, name, was, is string) {
	switch {
	case was == is:
	case was == "":
		c.add("~", subject, "%s %q", name, is)
	case is == "":
		c.add("~", subject, "%s %q removed", name, was)
	default:
		c.add("~", subject, "%s %q, before %q", name, is, was)
	}
}

// lose records the property that the subject of the last change has lost.
func (c *comparison) lose(what string) { c.changes[len(c.changes)-1].Lost = what }

// reason adds a change of the reason why something is yanked or deprecated.
func (c *comparison) reason(subject, name, was, is string) {
	c.field(subject, name, was, is)
	if was != "" && is == "" {
		c.lose(fmt.Sprintf("%s %q", name, was))
	}
}

func (c *comparison) plugin(was, is *v1alpha1.CatalogPlugin) {
	c.field(is.Name, "description", was.Description, is.Description)
	c.reason(is.Name, "deprecated", was.Deprecated, is.Deprecated)
	for _, channel := range union(slices.Collect(maps.Keys(was.Channels)), slices.Collect(maps.Keys(is.Channels))) {
		c.field(is.Name+"@"+channel, "version", was.Channels[channel], is.Channels[channel])
	}
	versions := union(versionNames(was), versionNames(is))
	slices.SortFunc(versions, CompareVersions)
	for _, v := range versions {
		c.version(is.Name+"@"+v, was.Version(v), is.Version(v))
	}
}

func (c *comparison) version(subject string, was, is *v1alpha1.CatalogVersion) {
	switch {
	case was == nil:
		c.add("+", subject, "%s", is.Digest)
		was = &v1alpha1.CatalogVersion{Version: is.Version, Digest: is.Digest, Description: is.Description, Source: is.Source}
	case is == nil:
		c.add("!", subject, "must stay, since a sandbox may use it: restore it, or yank it")
		c.lose("published")
		return
	case was.Digest != is.Digest:
		c.add("!", subject, "%s; it was %s and is %s now", exists(subject), was.Digest, is.Digest)
	}
	c.field(subject, "description", was.Description, is.Description)
	c.field(subject, "released", was.Released, is.Released)
	c.reason(subject, "deprecated", was.Deprecated, is.Deprecated)
	c.reason(subject, "yanked", was.Yanked, is.Yanked)
	c.field(subject, "requires kubernetes", was.Requires.Kubernetes, is.Requires.Kubernetes)
	c.field(subject, "source", was.Source, is.Source)
}

func exists(subject string) string {
	name, err := document.ParsePluginName(subject)
	if err != nil {
		return err.Error()
	}
	return document.AlreadyExists(name)
}

func pluginNames(c *CatalogDocument) []string {
	return texts(c.Spec.Plugins, func(p v1alpha1.CatalogPlugin) string { return p.Name })
}

func versionNames(p *v1alpha1.CatalogPlugin) []string {
	return texts(p.Versions, func(v v1alpha1.CatalogVersion) string { return v.Version })
}

// union returns the texts of both lists without duplicates, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
