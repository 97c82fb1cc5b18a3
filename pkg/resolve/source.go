package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// source is a Catalog document, and what of it is unreliable.
type source struct {
	*CatalogDocument
	problems   []strictyaml.Problem
	unreliable *DocumentError            // all of it
	plugins    map[int]*DocumentError    // a plugin with all its versions
	versions   map[[2]int]*DocumentError // a version of a plugin
}

// readSources reads the Catalog documents among items, each once however often it comes.
func (c *Catalog) readSources(items []*krm.Item) {
	var documents []*krm.Item
	seen := map[krm.File]bool{}
	for _, item := range items {
		if item.Kind() != contract.Catalog || item.APIVersion() != contract.APIVersion {
			continue
		}
		file := fileOf(item)
		if file == nil || !seen[*file] {
			documents = append(documents, item)
		}
		if file != nil {
			seen[*file] = true
		}
	}
	c.sources = make([]*source, len(documents))
	krm.Each(len(documents), func(i int) { c.sources[i] = readSource(documents[i]) })
	for _, s := range c.sources {
		c.problems = append(c.problems, resultsOf(s.Item, s.problems)...)
	}
	slices.SortStableFunc(c.sources, func(a, b *source) int {
		return cmp.Or(cmp.Compare(b.Spec.Priority, a.Spec.Priority), cmp.Compare(a.label(), b.label()))
	})
}

func readSource(item *krm.Item) *source {
	document, problems := readCatalog(item)
	s := &source{CatalogDocument: document, plugins: map[int]*DocumentError{}, versions: map[[2]int]*DocumentError{}}
	s.problems = problems
	for _, problem := range problems {
		if problem.Severity == krm.Error {
			s.mark(problem)
		}
	}
	return s
}

// mark records an error at what it makes unreliable: the catalog, a plugin, or a version. An unknown key counts, since it
// may be a misspelt one that would decide.
func (s *source) mark(problem strictyaml.Problem) {
	found := &DocumentError{Item: s.Item, Path: problem.Path, Message: problem.Message}
	steps := problem.Path.Steps()
	keyAt := func(i int) string {
		if i < len(steps) {
			return steps[i].Key
		}
		return ""
	}
	switch {
	case len(steps) < 3 || keyAt(1) != "plugins":
		s.unreliable = cmp.Or(s.unreliable, found)
	case len(steps) < 5 || keyAt(3) != "versions":
		if i := steps[2].Index; !decidesNothing(keyAt(3)) {
			s.plugins[i] = cmp.Or(s.plugins[i], found)
		}
	default:
		if key := [2]int{steps[2].Index, steps[4].Index}; !decidesNothing(keyAt(5)) {
			s.versions[key] = cmp.Or(s.versions[key], found)
		}
	}
}

// decidesNothing reports whether a field of a plugin or a version does not affect which version is chosen, or is checked
// where it does, as channels and names are.
func decidesNothing(key string) bool {
	switch key {
	case "name", "description", "released", "source", "channels":
		return true
	}
	return false
}

// broken returns why a version is unreliable, nil if it is not.
func (s *source) broken(i, j int) *DocumentError {
	return cmp.Or(s.versions[[2]int{i, j}], s.plugins[i], s.unreliable)
}

// label names the catalog for messages.
func (s *source) label() string { return "catalog " + label(s.Item) }

// addSource adds what a catalog lists.
func (c *Catalog) addSource(s *source) {
	for i := range s.Spec.Plugins {
		listing := &s.Spec.Plugins[i]
		if version.CheckBare(listing.Name) != nil {
			continue
		}
		p := c.plugin(listing.Name)
		p.listings = append(p.listings, catalogEntry{s, i})
		entries := make([]entry, len(listing.Versions))
		for j := range listing.Versions {
			parsed, err := version.ParseStrict(listing.Versions[j].Version)
			if err != nil {
				p.cannotRead(&DocumentError{
					Item: s.Item, Path: versionPath(i, j).Key("version"),
					Message: fmt.Sprintf("version must be a full semver such as 1.0.0, not %q", listing.Versions[j].Version),
				})
				continue
			}
			entries[j] = entry{
				name: version.Name{Bare: listing.Name, Version: parsed}, listed: []listed{{s, i, j}}, broken: s.broken(i, j),
			}
			p.entries = append(p.entries, &entries[j])
		}
	}
}
