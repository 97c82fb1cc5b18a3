package stackpackage

import (
	"slices"
	"strings"
)

// Provides reports whether the package owns a CRD that the reference names: PLURAL.GROUP/VERSION, where PLURAL may be * and
// the version may be missing.
func (p *Package) Provides(reference string) bool {
	return slices.ContainsFunc(p.CRDs, func(c CRD) bool { return c.Is(reference) })
}

// Is reports whether the reference names the CRD: see Package.Provides.
func (c CRD) Is(reference string) bool {
	name, version, _ := strings.Cut(reference, "/")
	plural, group, _ := strings.Cut(name, ".")
	return (plural == "*" || plural == c.Plural) && group == c.Group && (version == "" || slices.Contains(c.Versions, version))
}
