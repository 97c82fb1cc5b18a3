package dependency

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// registry holds the available packages: those of a list, and those in its Catalog documents.
type registry struct {
	byName   map[string]*repository // by full name
	names    []string               // as written in packages and catalogs, sorted
	problems krm.Results
	keys     map[string]string // full names, by the name as written
}

// repository is a package with all its versions.
type repository struct {
	name       string
	releases   []*release // in the order in which they are tried
	deprecated string
	priority   int // of the catalog that deprecates it
	number     int // in the problem, -1 if it is not in it
	locked     *lockedPackage
	gone       error // why no version of it can be chosen
}

// release is a version of a package, from the list, from catalogs, or from both.
type release struct {
	repository *repository
	version    string
	parsed     *semver.Version // nil if the version is not known or not semver
	digest     string
	apiVersion string
	kind       string
	content    *pack.Package
	crds       []pack.CRD
	dependsOn  []pack.Dependency

	listed                     bool // in a catalog with this priority
	priority                   int
	yanked, deprecated, source string
	item                       *krm.Item // the document that it comes from
	path                       krm.Path
	broken                     *resolve.DocumentError // why it cannot be relied on
	locked                     bool
}

// newRegistry returns the packages of a list and of its Catalog documents.
func newRegistry(list *krm.ResourceList) *registry {
	g := &registry{byName: map[string]*repository{}, keys: map[string]string{}}
	for _, p := range pack.Find(list) {
		g.addContent(p)
	}
	g.addCatalogs(list.Of(contract.APIVersion, contract.Catalog))
	for _, p := range g.byName {
		if len(p.releases) > 0 {
			g.names = append(g.names, p.name)
		}
		slices.SortStableFunc(p.releases, compareReleases)
	}
	slices.Sort(g.names)
	return g
}

// compareReleases orders the versions of a package as they are tried: a locked version first, deprecated versions last,
// versions from catalogs with a higher priority first, the highest version first, and versions other than semver last.
func compareReleases(a, b *release) int {
	return cmp.Or(
		compareBool(b.locked, a.locked),
		compareBool(a.deprecated != "", b.deprecated != ""),
		cmp.Compare(b.priority, a.priority),
		compareVersions(a, b),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

func compareVersions(a, b *release) int {
	switch {
	case a.parsed != nil && b.parsed != nil:
		return cmp.Or(b.parsed.Compare(a.parsed), cmp.Compare(a.version, b.version))
	case a.parsed != nil || b.parsed != nil:
		return compareBool(a.parsed == nil, b.parsed == nil)
	default:
		return cmp.Or(cmp.Compare(a.version, b.version), cmp.Compare(a.digest, b.digest))
	}
}

// key returns the full name of a package. It is cached, since names occur often and expanding one is slow.
func (g *registry) key(name string) string {
	key, ok := g.keys[name]
	if !ok {
		key = document.ImageRepository(name)
		g.keys[name] = key
	}
	return key
}

// repository returns the package with a name, and adds it if it is new.
func (g *registry) repository(name string) *repository {
	key := g.key(name)
	p := g.byName[key]
	if p == nil {
		p = &repository{name: name, number: -1}
		g.byName[key] = p
	}
	return p
}

// find returns a version of a package, or nil if the package does not have it.
func (p *repository) find(version, digest string) *release {
	for _, r := range p.releases {
		if r.version == version && (version != "" || r.digest == digest) {
			return r
		}
	}
	return nil
}

func (p *repository) add(r *release) {
	r.repository = p
	r.parsed, _ = parseTag(r.version)
	p.releases = append(p.releases, r)
}

// addContent adds a package of the list.
func (g *registry) addContent(content *pack.Package) {
	p := g.repository(content.Name)
	r := &release{
		version: content.Version, digest: content.Digest, apiVersion: content.APIVersion, kind: content.Kind, content: content,
		crds: content.CRDs, dependsOn: content.DependsOn, item: content.Metadata, path: namePath,
	}
	if other := p.find(r.version, r.digest); other != nil {
		if sameFile(other.item, r.item) {
			return
		}
		other.refuse(r, fmt.Sprintf("version %s of package %q must be in the list once, not as %s and %s: remove one",
			shownVersion(r.version), content.Name, label(other.item), label(r.item)))
		g.problems = append(g.problems, r.broken.Result())
		return
	}
	p.add(r)
}

const namePath krm.Path = "metadata.name"

// refuse marks a version and another entry of it as unreliable, with a message at the latter.
func (r *release) refuse(at *release, message string) {
	at.broken = &resolve.DocumentError{Item: at.item, Path: at.path, Message: message, Changed: false}
	r.broken = cmp.Or(r.broken, at.broken)
}

func shownVersion(version string) string {
	if version == "" {
		return "(none)"
	}
	return version
}

// merge adds the entry of another document to a version. Both must have the same digest; for all else, the catalogs
// with the highest priority take precedence.
func (g *registry) merge(r, other *release) {
	r.broken = cmp.Or(r.broken, other.broken)
	switch {
	case r.digest == "":
		r.digest = other.digest
	case other.digest != r.digest && other.digest != "":
		r.refuse(other, fmt.Sprintf("version %s of package %q must have one content, not %s by %s and %s by %s: versions are "+
			"immutable; remove one, or publish another version",
			r.version, r.repository.name, r.digest, label(r.item), other.digest, label(other.item)))
		g.problems = append(g.problems, other.broken.Result())
	}
	if r.listed && other.priority < r.priority {
		return
	}
	r.listed, r.priority = true, other.priority
	r.yanked, r.deprecated = least(r.yanked, other.yanked), least(r.deprecated, other.deprecated)
	r.source = least(r.source, other.source)
}

// least returns the smaller text that is not empty, so that the result for several does not depend on their order.
func least(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

// label names a document for messages.
func label(item *krm.Item) string {
	text := fmt.Sprintf("%s %q", item.Kind(), item.Name())
	if place := item.PlaceOf(namePath); place.File != "" {
		text += fmt.Sprintf(" (%s)", place.File)
	}
	return text
}

// sameFile reports whether two items are the same document, which kpt sends twice if selectors overlap.
func sameFile(a, b *krm.Item) bool {
	one, other := krm.At(a, "", krm.Info, "").File, krm.At(b, "", krm.Info, "").File
	return one != nil && other != nil && *one == *other
}
