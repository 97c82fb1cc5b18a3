package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// source is a Catalog document, with its unreliable parts.
type source struct {
	*CatalogDocument
	problems []strictyaml.Problem
	flaws    map[krm.Path]*DocumentError // by the path of a version or a plugin, or empty for the whole document
}

// listedPlugin is a plugin in one catalog.
type listedPlugin struct {
	*v1alpha1.CatalogPlugin
	source *source
	path   krm.Path
}

// listedVersion is a version in one catalog.
type listedVersion struct {
	*v1alpha1.CatalogVersion
	source *source
	path   krm.Path
}

// readSources reads the Catalog documents among items, duplicates once.
func (c *Catalog) readSources(items []*krm.Item) {
	documents := slices.DeleteFunc(slices.Clone(items), func(item *krm.Item) bool {
		return item.Kind() != contract.Catalog || item.APIVersion() != contract.APIVersion
	})
	sources := make([]*source, len(documents))
	krm.Each(len(documents), func(i int) { sources[i] = readSource(documents[i]) })
	slices.SortStableFunc(sources, func(a, b *source) int {
		return cmp.Or(cmp.Compare(b.Spec.Priority, a.Spec.Priority), cmp.Compare(a.label(), b.label()))
	})
	for _, s := range slices.CompactFunc(sources, func(a, b *source) bool { return sameFile(a.Item, b.Item) }) {
		c.problems = append(c.problems, resultsOf(s.Item, s.problems)...)
		c.addSource(s)
	}
}

func readSource(item *krm.Item) *source {
	document, problems := readCatalog(item)
	s := &source{CatalogDocument: document, problems: problems, flaws: map[krm.Path]*DocumentError{}}
	for _, problem := range problems {
		if at, decides := Unreliable(problem.Path, "plugins"); decides && problem.IsError() {
			s.flaws[at] = cmp.Or(s.flaws[at], &DocumentError{Item: item, Path: problem.Path, Message: problem.Message})
		}
	}
	return s
}

// Unreliable returns the path that an error at a path of a Catalog makes unreliable, among its plugins or packages as
// list names: that of a version, that of a plugin or package with all its versions, or empty for the whole document.
// decides is false if the field does not affect the choice of versions, or is checked on use, as channels and names
// are. An unknown key counts, since it may be a misspelt one that affects the choice.
func Unreliable(path krm.Path, list string) (at krm.Path, decides bool) {
	steps := path.Steps()
	switch {
	case len(steps) < 3 || steps[1].Key != "plugins" && steps[1].Key != "packages":
		return "", true
	case steps[1].Key != list:
		return "", false
	case len(steps) < 5 || steps[3].Key != "versions":
		at, steps = specPath.Key(list).Index(steps[2].Index), steps[3:]
	default:
		at, steps = specPath.Key(list).Index(steps[2].Index).Key("versions").Index(steps[4].Index), steps[5:]
	}
	return at, len(steps) == 0 ||
		!slices.Contains([]string{"name", "description", "released", "source", "channels"}, steps[0].Key)
}

// label names the catalog for messages.
func (s *source) label() string { return "catalog " + label(s.Item) }

// addSource adds the entries of a catalog.
func (c *Catalog) addSource(s *source) {
	for i := range s.Spec.Plugins {
		listing := listedPlugin{&s.Spec.Plugins[i], s, pluginPath(i)}
		if document.CheckBareName(listing.Name) != nil {
			continue
		}
		p := c.plugin(listing.Name)
		p.add(listing)
		for j := range listing.Versions {
			v := listedVersion{&listing.Versions[j], s, listing.path.Key("versions").Index(j)}
			parsed, err := document.ParseStrictVersion(v.Version)
			if err != nil {
				p.cannotRead(&DocumentError{
					Item: s.Item, Path: v.path.Key("version"),
					Message: fmt.Sprintf("version must be a full semver such as 1.0.0, not %q", v.Version),
				})
				continue
			}
			p.entries = append(p.entries, &entry{
				name: document.PluginName{Bare: listing.Name, Version: parsed}, listed: []listedVersion{v},
				broken: cmp.Or(s.flaws[v.path], s.flaws[listing.path], s.flaws[""]),
			})
		}
	}
}
