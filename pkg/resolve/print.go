package resolve

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/semver"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Bytes prints the document as block YAML that ends in a newline. The same content is always the same bytes: fields are
// in the order of the types, plugins and channels sorted by name, and versions by precedence, the highest first.
// Comments of a document that was read are not kept. The catalog itself is not changed.
func (c *CatalogDocument) Bytes() ([]byte, error) {
	printed := c.Catalog
	printed.Spec = sortedSpec(c.Spec)
	text, err := json.Marshal(printed)
	if err != nil {
		return nil, err
	}
	document, err := kyaml.Parse(string(text)) // it keeps the order of the keys, which sigs.k8s.io/yaml sorts
	if err != nil {
		return nil, err
	}
	root := document.YNode()
	root.Content = slices.Concat(root.Content[2:4], root.Content[:2], root.Content[4:]) // apiVersion, then kind
	block(root)
	return krm.FromNode(root, "").Bytes()
}

// block turns the flow style of JSON into that of documents for people.
func block(node *yaml.Node) {
	if len(node.Content) > 0 || isPlain(node.Value) {
		node.Style = 0
	}
	for _, child := range node.Content {
		block(child)
	}
}

var plainWords = regexp.MustCompile(`^[A-Za-z][-A-Za-z0-9 _./@+:;()']*$`)

// isPlain reports whether every YAML reader reads text as a string: a sentence of plain letters, or a full version,
// which is no number since it has two dots.
func isPlain(text string) bool {
	if _, err := document.ParseStrictVersion(text); err == nil {
		return true
	}
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return plainWords.MatchString(text) && !strings.HasSuffix(text, " ") && !strings.Contains(text+" ", ": ")
}

// sortedSpec returns a sorted copy whose lists are not null.
func sortedSpec(s v1alpha1.CatalogSpec) v1alpha1.CatalogSpec {
	s.Plugins = append([]v1alpha1.CatalogPlugin{}, s.Plugins...)
	slices.SortStableFunc(s.Plugins, func(a, b v1alpha1.CatalogPlugin) int { return cmp.Compare(a.Name, b.Name) })
	for i := range s.Plugins {
		s.Plugins[i].Versions = append([]v1alpha1.CatalogVersion{}, s.Plugins[i].Versions...)
		slices.SortStableFunc(s.Plugins[i].Versions, func(a, b v1alpha1.CatalogVersion) int {
			return CompareVersions(a.Version, b.Version)
		})
	}
	s.Packages = slices.Clone(s.Packages)
	slices.SortStableFunc(s.Packages, func(a, b v1alpha1.CatalogPackage) int { return cmp.Compare(a.Name, b.Name) })
	for i := range s.Packages {
		s.Packages[i].Versions = append([]v1alpha1.CatalogPackageVersion{}, s.Packages[i].Versions...)
		slices.SortStableFunc(s.Packages[i].Versions, func(a, b v1alpha1.CatalogPackageVersion) int {
			return compareTags(a.Version, b.Version)
		})
	}
	return s
}

// compareTags orders the tags of packages as CompareVersions does versions.
func compareTags(a, b string) int {
	return cmp.Or(CompareVersions(strings.TrimPrefix(a, "v"), strings.TrimPrefix(b, "v")), cmp.Compare(a, b))
}

// CompareVersions orders versions for sorting: the highest first, and texts that are not semver last, as text.
func CompareVersions(a, b string) int {
	return cmp.Or(semver.Compare("v"+b, "v"+a), cmp.Compare(a, b))
}
