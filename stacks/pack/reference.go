package pack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
)

// Reference is what asks for a package by name: NAME[:SELECTOR][@DIGEST]. The selector is a tag, or a version range in the
// language of Masterminds semver, which stands where a tag does: `redis:^0.1`.
type Reference struct {
	Name, Selector, Digest string
}

// ParseReference parses a reference. The error says in words with "must" what is wrong.
func ParseReference(text string) (Reference, error) {
	var r Reference
	r.Name, r.Selector, r.Digest = imageref.Split(text)
	tagged, _, pinned := strings.Cut(text, "@")
	switch wrong := document.CheckImageRepository(r.Name); {
	case wrong != "":
		return Reference{}, errors.New(wrong)
	case pinned && !document.IsDigest(r.Digest):
		return Reference{}, fmt.Errorf("must have after the @ sha256: and 64 hexadecimal digits in lower case, not %q", r.Digest)
	case strings.HasSuffix(tagged, ":"):
		return Reference{}, errors.New("must have a tag or a version range after the colon, or no colon")
	}
	return r, CheckSelector(r.Selector)
}

// CheckSelector checks that a text may be a tag, or is a version range.
func CheckSelector(text string) error {
	if len(text) > semver.MaxConstraintLen {
		return fmt.Errorf("version must have at most %d bytes, not %d", semver.MaxConstraintLen, len(text))
	}
	if strings.TrimSpace(text) != text {
		return fmt.Errorf("version %q must not begin or end with a blank", text)
	}
	if _, err := semver.NewConstraint(text); err != nil && text != "" && document.CheckImage("redis:"+text) != "" {
		return fmt.Errorf("version %q must be a tag such as v1.0.0, or a range such as ^1.2", text)
	}
	return nil
}

// String returns the reference as it is written.
func (r Reference) String() string { return ImageOf(r.Name, r.Selector, r.Digest) }

// ImageOf returns NAME[:VERSION][@DIGEST].
func ImageOf(name, version, digest string) string {
	if version != "" {
		name += ":" + version
	}
	if digest != "" {
		name += "@" + digest
	}
	return name
}

// Constraint is what the reference asks of its package, for messages and locks.
func (r Reference) Constraint() string {
	if r.Digest == "" || r.Selector == "" {
		return r.Selector + r.Digest
	}
	return r.Selector + "@" + r.Digest
}

// NamesRegistry reports whether the name has a registry: that of `acme/redis` is up to the request's source.
func (r Reference) NamesRegistry() bool {
	return imageref.WithSource("registry", r.Name) == r.Name
}

// CRDReference is PLURAL.GROUP[/VERSION], or *.GROUP[/VERSION] for any CRD of the group.
type CRDReference struct{ Plural, Group, Version string }

// ParseCRD parses a reference to a CRD. The error says in words with "must" what is wrong.
func ParseCRD(text string) (CRDReference, error) {
	name, served, _ := strings.Cut(text, "/")
	plural, group, ok := strings.Cut(name, ".")
	if !ok || plural == "" || group == "" || strings.ContainsAny(text, " \t") || strings.HasSuffix(text, "/") {
		return CRDReference{}, fmt.Errorf("must be PLURAL.GROUP/VERSION or *.GROUP/VERSION, "+
			"such as redisclusters.cache.crossplane.io/v1alpha1, not %q", text)
	}
	return CRDReference{plural, group, served}, nil
}

// Is reports whether a CRD is one that the reference names.
func (c CRDReference) Is(crd CRD) bool {
	return c.Group == crd.Group && (c.Plural == "*" || c.Plural == crd.Plural) &&
		(c.Version == "" || slices.Contains(crd.Versions, c.Version))
}

// Owns reports whether the package has a CRD that the reference names.
func (p *Package) Owns(c CRDReference) bool { return slices.ContainsFunc(p.CRDs, c.Is) }
