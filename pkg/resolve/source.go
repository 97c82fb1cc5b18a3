package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/cores"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// source is a Catalog document and what of it cannot be relied on.
type source struct {
	*CatalogDocument
	problems []strictyaml.Problem
	doubt    *DocumentError            // of the whole
	plugins  map[int]*DocumentError    // of a plugin with all its versions
	versions map[[2]int]*DocumentError // of a plugin's version
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
	cores.Each(len(documents), func(i int) { c.sources[i] = readSource(documents[i]) })
	for _, s := range c.sources {
		for _, problem := range s.problems {
			c.report(s.Item, problem)
		}
	}
	slices.SortStableFunc(c.sources, func(a, b *source) int {
		return cmp.Or(cmp.Compare(b.Spec.Priority, a.Spec.Priority), cmp.Compare(a.label(), b.label()))
	})
}

func readSource(item *krm.Item) *source {
	document, problems := ReadCatalogDocument(item)
	s := &source{CatalogDocument: document, plugins: map[int]*DocumentError{}, versions: map[[2]int]*DocumentError{}}
	s.problems = slices.Concat(problems, document.Check())
	for _, problem := range s.problems {
		if problem.Severity == krm.Error {
			s.note(problem)
		}
	}
	return s
}

// note notes what a problem makes unreliable. A key that is unknown may be a misspelt one that would have decided.
func (s *source) note(problem strictyaml.Problem) {
	found := &DocumentError{Item: s.Item, Path: problem.Path, Message: problem.Message}
	rest, isPlugin := strings.CutPrefix(string(problem.Path), "spec.plugins[")
	if !isPlugin {
		s.doubt = cmp.Or(s.doubt, found)
		return
	}
	i, rest := leadingIndex(rest)
	if below, isVersion := strings.CutPrefix(rest, ".versions["); isVersion {
		j, rest := leadingIndex(below)
		if key := [2]int{i, j}; !decidesNothing(rest) {
			s.versions[key] = cmp.Or(s.versions[key], found)
		}
		return
	}
	if !decidesNothing(rest) {
		s.plugins[i] = cmp.Or(s.plugins[i], found)
	}
}

// leadingIndex reads `12].rest`.
func leadingIndex(text string) (index int, rest string) {
	digits, rest, _ := strings.Cut(text, "]")
	index, _ = strconv.Atoi(digits)
	return index, rest
}

// decidesNothing tells whether a field of a plugin or a version has no say in which version is chosen, or, as a channel
// and a name do, is looked at where it has.
func decidesNothing(field string) bool {
	switch field {
	case ".name", ".description", ".released", ".source":
		return true
	}
	return strings.HasPrefix(field, ".channels")
}

// broken returns why a version cannot be relied on, nil where it can.
func (s *source) broken(i, j int) *DocumentError {
	return cmp.Or(s.versions[[2]int{i, j}], s.plugins[i], s.doubt)
}

// label names the catalog for a person.
func (s *source) label() string { return "catalog " + label(s.Item) }

// list takes what a catalog lists.
func (c *Catalog) list(s *source) {
	for i := range s.Spec.Plugins {
		p := &s.Spec.Plugins[i]
		if version.CheckBare(p.Name) != nil {
			continue
		}
		f := c.family(p.Name)
		f.shelves = append(f.shelves, shelf{s, i})
		entries := make([]entry, len(p.Versions))
		for j := range p.Versions {
			parsed, err := StrictVersion(p.Versions[j].Version)
			if err != nil {
				f.cannotRead(&DocumentError{
					Item: s.Item, Path: VersionPath(i, j).Key("version"),
					Message: fmt.Sprintf("version must be a full semver such as 1.0.0, not %q", p.Versions[j].Version),
				})
				continue
			}
			entries[j] = entry{
				name: version.Name{Bare: p.Name, Version: parsed}, listed: []listed{{s, i, j}}, broken: s.broken(i, j),
			}
			f.entries = append(f.entries, &entries[j])
		}
	}
}

// report reports a problem of a document.
func (c *Catalog) report(item *krm.Item, problem strictyaml.Problem) {
	result := krm.At(item, problem.Path, problem.Severity, problem.Message)
	if problem.Proposed != nil && result.Field != nil {
		result.Field.ProposedValue = problem.Proposed
	}
	c.problems = append(c.problems, result)
}
