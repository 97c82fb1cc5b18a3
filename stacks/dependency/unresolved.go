package dependency

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// why returns an error that explains why an ask cannot be satisfied.
func (b *builder) why(number int) error {
	w := b.wanted[number]
	switch {
	case len(w.owners) > 1:
		return fmt.Errorf("CRD %q must be owned by one package, not by %s: ask for one of them by its name as well",
			w.text, strictyaml.FirstAnd(names(w.owners)))
	case w.target == nil && w.crd != nil:
		return b.unowned(w.selector)
	case w.target == nil:
		return b.unknown(w.selector)
	case w.target.gone != nil:
		return w.target.gone
	case len(w.fits) == 0:
		return w.target.noVersion(w)
	case w.target.locked == nil:
		return fmt.Errorf("package %q must be in the lock: run rplug resolve --write-lock FILE PATH", w.target.name)
	}
	return fmt.Errorf("package %q must be what it is locked to (%s), which %q does not allow: run mode keep",
		w.target.name, shownEntry(w.target.locked.LockPackage), w.text)
}

func names(all []*repository) []string {
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = strconv.Quote(p.name)
	}
	slices.Sort(texts)
	return texts
}

// unowned returns the error for a CRD that no package owns.
func (b *builder) unowned(s selector) error {
	var known []string
	for _, all := range b.owners {
		for _, o := range all {
			for _, r := range o.releases {
				for _, crd := range r.crds {
					for _, v := range crd.Versions {
						known = append(known, crd.Plural+"."+crd.Group+"/"+v)
					}
				}
			}
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if slices.ContainsFunc(b.owners[s.crd.Group], func(o *owner) bool {
		return slices.ContainsFunc(o.releases, func(r *release) bool { return r.owns(*s.crd) })
	}) {
		return fmt.Errorf("every version of a package that owns CRD %q is yanked: ask for a version by its name", s.text)
	}
	return fmt.Errorf("no package owns CRD %q: %s", s.text, nearest(s.text, known))
}

// unknown returns the error for the name of an unknown package.
func (b *builder) unknown(s selector) error {
	if len(b.names) == 0 {
		return fmt.Errorf("package %q is unknown, since there is no package at all: add a Catalog that lists it, or have "+
			"import-plugin read it", s.name)
	}
	return fmt.Errorf("package %q is unknown: %s", s.name, nearest(s.name, b.names))
}

// nearest suggests the known name that is nearest to a name, and lists the known names.
func nearest(name string, known []string) string {
	quoted := make([]string, len(known))
	for i, one := range known {
		quoted[i] = strconv.Quote(one)
	}
	if guess, _ := strictyaml.Nearest(name, known); guess != "" {
		return fmt.Sprintf("did you mean %q? %s", guess, strictyaml.ThereAre(quoted))
	}
	return strictyaml.ThereAre(quoted)
}

// noVersion returns the error for a package without a fitting version.
func (p *repository) noVersion(w wanted) error {
	in, hint := "", ""
	if w.text != "" {
		in = fmt.Sprintf(" for %q", w.text)
	}
	switch {
	case len(w.yanked) > 0:
		reasons := make([]string, len(w.yanked))
		for i, r := range w.yanked {
			reasons[i] = fmt.Sprintf("%s is yanked (%q)", r.version, r.yanked)
		}
		return fmt.Errorf("package %q has no version%s that is not yanked: %s", p.name, in, strictyaml.FirstOf(reasons))
	case len(w.kinds) > 0:
		return fmt.Errorf("package %q must be a %s, not a %s", p.name, w.kind, w.kinds[0])
	case w.prerelease:
		hint = "; a prerelease is left out unless the range names one, such as ^1.2.0-0"
	case slices.ContainsFunc(p.releases, func(r *release) bool { return r.version == "" }):
		hint = "; annotate its document with its image to give it a version"
	}
	return fmt.Errorf("package %q has no version%s: %s%s", p.name, in, strictyaml.ThereAre(p.versions()), hint)
}
