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

// Reference refers to a package by name: NAME[:SELECTOR][@DIGEST]. The selector is a tag, or instead of a tag a version
// range in the syntax of Masterminds semver: `redis:^0.1`.
type Reference struct {
	Name, Selector, Digest string
}

// ParseReference parses a reference. The error states the violated requirement with "must".
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

// CheckSelector checks that a text is a valid tag or version range.
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

// String returns the reference in the form that ParseReference parses.
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

// Constraint returns the selector and the digest of the reference, for messages and locks.
func (r Reference) Constraint() string {
	if r.Digest == "" || r.Selector == "" {
		return r.Selector + r.Digest
	}
	return r.Selector + "@" + r.Digest
}

// NamesRegistry reports whether the name has a registry. For a name without one, such as `acme/redis`, the request's source
// decides.
func (r Reference) NamesRegistry() bool {
	return imageref.WithSource("registry", r.Name) == r.Name
}

// CRDReference refers to a CRD as PLURAL.GROUP[/VERSION], or to any CRD of a group as *.GROUP[/VERSION].
type CRDReference struct{ Plural, Group, Version string }

// ParseCRD parses a reference to a CRD. The error states the violated requirement with "must".
func ParseCRD(text string) (CRDReference, error) {
	name, served, _ := strings.Cut(text, "/")
	plural, group, ok := strings.Cut(name, ".")
	if !ok || plural == "" || group == "" || strings.ContainsAny(text, " \t") || strings.HasSuffix(text, "/") {
		return CRDReference{}, fmt.Errorf("must be PLURAL.GROUP/VERSION or *.GROUP/VERSION, "+
			"such as redisclusters.cache.crossplane.io/v1alpha1, not %q", text)
	}
	return CRDReference{plural, group, served}, nil
}

// Is reports whether the reference names the CRD.
func (c CRDReference) Is(crd CRD) bool {
	return c.Group == crd.Group && (c.Plural == "*" || c.Plural == crd.Plural) &&
		(c.Version == "" || slices.Contains(crd.Versions, c.Version))
}

// Owns reports whether the package has a CRD that the reference names.
func (p *Package) Owns(c CRDReference) bool { return slices.ContainsFunc(p.CRDs, c.Is) }
