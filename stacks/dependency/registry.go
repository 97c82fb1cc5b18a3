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

// registry is what packages there are: those of the list, and those that its Catalog documents list.
type registry struct {
	byName   map[string]*repository // by the name in full
	names    []string               // as packages and catalogs have them, sorted
	problems krm.Results
	keys     map[string]string // names in full, by the name as somebody has it
}

// repository is a package with all its versions.
type repository struct {
	name       string
	releases   []*release // in the order in which they are tried
	deprecated string
	priority   int // of the catalogs that say whether it is deprecated
	number     int // in the problem, -1 if it is not in it
	locked     *lockedPackage
	gone       error // why nothing of it can be chosen
}

// release is a version of a package: a package of the list, what catalogs list of it, or both.
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

	listed                     bool // in a catalog, of this priority
	priority                   int
	yanked, deprecated, source string
	item                       *krm.Item // where it is from
	path                       krm.Path
	broken                     *resolve.DocumentError // why it cannot be relied on
	locked                     bool
}

// newRegistry returns the packages and the Catalog documents of a list.
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

// compareReleases orders the versions of a package as they are tried: one that is locked first, deprecated ones last,
// those of catalogs of a higher priority first, the highest version first, and what is not semver last.
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

// key returns the name of a package in full. There are many more mentions than names, and reading one takes a while.
func (g *registry) key(name string) string {
	key, ok := g.keys[name]
	if !ok {
		key = document.ImageRepository(name)
		g.keys[name] = key
	}
	return key
}

// repository returns the package of a name, which is added if it is new.
func (g *registry) repository(name string) *repository {
	key := g.key(name)
	p := g.byName[key]
	if p == nil {
		p = &repository{name: name, number: -1}
		g.byName[key] = p
	}
	return p
}

// find returns the version of a package, nil if there is none.
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

// refuse makes a version one that cannot be relied on.
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

// merge adds what another document says of a version. They must agree on its digest; of all else, what the catalogs of
// the highest priority say counts.
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

// least returns the smaller text, unless it is empty: of several it does not depend on their order.
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

// sameFile reports whether two items are one document that came twice, as kpt sends it under overlapping selectors.
func sameFile(a, b *krm.Item) bool {
	one, other := krm.At(a, "", krm.Info, "").File, krm.At(b, "", krm.Info, "").File
	return one != nil && other != nil && *one == *other
}
