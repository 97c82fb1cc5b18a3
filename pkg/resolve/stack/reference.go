package stack

import (
	"errors"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/digest"
	"github.com/resource-plugins/krm-functions/internal/image"
	"github.com/resource-plugins/krm-functions/internal/stackpackage"
	"github.com/resource-plugins/krm-functions/internal/version"
)

// reference is what a request asks for by name: NAME[:SELECTOR][@DIGEST]. The selector is a tag, or a version range in
// the language of Masterminds semver, which stands where a tag does: `redis:^0.1`.
type reference struct {
	name, selector, digest string
}

// parseReference reads the package of a request. The selector is what comes after the first colon behind the last slash.
func parseReference(text string) (reference, error) {
	var r reference
	r.name, r.selector, r.digest = stackpackage.SplitReference(text)
	tagged, _, pinned := strings.Cut(text, "@")
	switch wrong := image.CheckRepository(r.name); {
	case wrong != "":
		return reference{}, errors.New(wrong)
	case pinned && !digest.Valid(r.digest):
		return reference{}, fmt.Errorf("must have after the @ sha256: and 64 hexadecimal digits in lower case, not %q", r.digest)
	case strings.HasSuffix(tagged, ":"):
		return reference{}, errors.New("must have a tag or a version range after the colon, or no colon")
	}
	return r, checkSelector(r.selector)
}

// checkSelector checks that a text may be a tag, or is a version range.
func checkSelector(text string) error {
	if len(text) > semver.MaxConstraintLen {
		return fmt.Errorf("version must have at most %d bytes, not %d", semver.MaxConstraintLen, len(text))
	}
	if strings.TrimSpace(text) != text {
		return fmt.Errorf("version %q must not begin or end with a blank", text)
	}
	if _, err := semver.NewConstraint(text); err != nil && text != "" && image.Check("redis:"+text) != "" {
		return fmt.Errorf("version %q must be a tag such as v1.0.0, or a range such as ^1.2", text)
	}
	return nil
}

func (r reference) String() string { return imageOf(r.name, r.selector, r.digest) }

// constraint is what the reference asks of its package, for messages and locks.
func (r reference) constraint() string {
	if r.digest == "" || r.selector == "" {
		return r.selector + r.digest
	}
	return r.selector + "@" + r.digest
}

// pins reports whether a selector means one version, whatever else is published: a version in full, or a tag that is no
// version range. A bare reference and Latest mean the highest release.
func pins(selector string) bool {
	if selector == "" || selector == version.Latest {
		return false
	}
	if _, err := parseTag(strings.TrimSpace(strings.TrimPrefix(selector, "="))); err == nil {
		return true
	}
	_, err := semver.NewConstraint(selector)
	return err != nil
}

// parseTag reads a tag that is a version: strict semver, or v and that.
func parseTag(text string) (*semver.Version, error) {
	return version.ParseStrict(strings.TrimPrefix(text, "v"))
}

// crdReference is `<plural>.<group>[/<version>]`, or `*.<group>[/<version>]` for any CRD of the group.
type crdReference struct{ plural, group, version string }

func parseCRD(text string) (crdReference, error) {
	name, served, _ := strings.Cut(text, "/")
	plural, group, ok := strings.Cut(name, ".")
	if !ok || plural == "" || group == "" || strings.ContainsAny(text, " \t") || strings.HasSuffix(text, "/") {
		return crdReference{}, fmt.Errorf("must be PLURAL.GROUP/VERSION or *.GROUP/VERSION, "+
			"such as redisclusters.cache.crossplane.io/v1alpha1, not %q", text)
	}
	return crdReference{plural, group, served}, nil
}
