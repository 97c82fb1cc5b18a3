package dependency

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// selector selects versions of a package by the package's name, or by a CRD that the package owns.
type selector struct {
	name string
	crd  *pack.CRDReference
	text string // the constraint, or the CRD, for messages

	version, digest string
	tag             bool   // version may be a tag
	kind            string // of the package, empty if any will do
	source          string // the registry to choose from if several packages own the CRD
}

// dependencySelector returns the selector of a dependency.
func dependencySelector(d pack.Dependency) (selector, error) {
	if d.CRD != "" {
		crd, err := pack.ParseCRD(d.CRD)
		return selector{crd: &crd, text: d.CRD}, err
	}
	s := selector{name: d.Package, text: d.Constraint, kind: d.Kind}
	if wrong := document.CheckImageRepository(d.Package); wrong != "" {
		return s, fmt.Errorf("package %s", wrong)
	}
	var pinned bool
	s.version, s.digest, pinned = strings.Cut(d.Constraint, "@")
	switch {
	case pinned:
	case strings.HasPrefix(d.Constraint, "sha256:"):
		s.version, s.digest = "", d.Constraint
	default:
		return s, pack.CheckSelector(s.version)
	}
	return s, nil
}

// match holds the versions of a package that fit a selector.
type match struct {
	fits  []int    // indexes into the package's releases
	trace []string // how many versions each stage leaves
	// yanked holds yanked versions that would fit. prerelease is set if prereleases that might fit are left out.
	yanked     []*release
	prerelease bool
	kinds      []string // of versions that fit except for their kind
}

// match returns the versions of a package that a selector admits.
func (p *repository) match(s selector) match {
	var m match
	admits := p.admission(s)
	pinned := p.isPin(s)
	for i, r := range p.releases {
		switch {
		case s.crd != nil && !r.owns(*s.crd):
		case !admits(r):
			m.prerelease = m.prerelease || r.parsed != nil && r.parsed.Prerelease() != ""
		case !r.isKind(s.kind):
			m.kinds = append(m.kinds, r.kind)
		case r.yanked != "" && !pinned && !r.locked:
			m.yanked = append(m.yanked, r)
		default:
			m.fits = append(m.fits, i)
		}
	}
	m.trace = []string{
		fmt.Sprintf("all=%d", len(p.releases)),
		fmt.Sprintf("%s=%d", cmp.Or(s.text, "releases"), len(m.fits)+len(m.yanked)),
	}
	if len(m.yanked) > 0 {
		m.trace = append(m.trace, fmt.Sprintf("not yanked=%d", len(m.fits)))
	}
	return m
}

// isPin reports whether a selector means one version, whatever else is published.
func (p *repository) isPin(s selector) bool {
	return s.digest != "" || s.tag && p.hasTag(s.version) || pins(s.version)
}

// admission returns a function that reports whether a selector admits a version of the package.
func (p *repository) admission(s selector) func(*release) bool {
	versions := p.versionAdmission(s)
	if s.digest == "" {
		return versions
	}
	if s.version == "" {
		return func(r *release) bool { return r.digest == s.digest }
	}
	return func(r *release) bool { return versions(r) && (r.digest == s.digest || r.digest == "") }
}

func (p *repository) versionAdmission(s selector) func(*release) bool {
	exact := func(r *release) bool { return r.version == s.version }
	if s.version != "" && s.tag && p.hasTag(s.version) {
		return exact
	}
	if s.version == "" || s.version == document.LatestVersion {
		unversioned := !slices.ContainsFunc(p.releases, func(r *release) bool { return r.parsed != nil })
		return func(r *release) bool { return unversioned || r.parsed != nil && r.parsed.Prerelease() == "" }
	}
	within, err := semver.NewConstraint(s.version)
	if err != nil {
		return exact
	}
	return func(r *release) bool { return r.parsed != nil && within.Check(r.parsed) }
}

func (p *repository) hasTag(text string) bool {
	return slices.ContainsFunc(p.releases, func(r *release) bool { return r.version == text && text != "" })
}

// isKind reports whether a version may be of a kind. Either kind may be unknown.
func (r *release) isKind(kind string) bool { return kind == "" || r.kind == "" || r.kind == kind }

// owns reports whether a version owns a CRD.
func (r *release) owns(crd pack.CRDReference) bool {
	return slices.ContainsFunc(r.crds, crd.Is)
}

// versions returns the versions of a package as texts, in the order in which they are tried.
func (p *repository) versions() []string {
	all := make([]string, len(p.releases))
	for i, r := range p.releases {
		all[i] = shownVersion(r.version)
	}
	return all
}
