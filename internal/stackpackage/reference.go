package stackpackage

import (
	"errors"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/distribution/reference"
	"github.com/opencontainers/go-digest"
)

// Reference is a request for a package: a repository, and which of its images will do.
type Reference struct {
	// Repository is the name of the image, as it is written.
	Repository string
	// Version is a tag or a version range, empty if any release will do.
	Version string
	// Digest is the digest of the one image that will do, empty if another may.
	Digest string
}

// ParseReference parses REPOSITORY[:VERSION][@DIGEST], where VERSION may be a range such as `^0.1` or `>=0.1 <0.3`. The
// error says in words with "must" what is wrong.
func ParseReference(text string) (Reference, error) {
	name, pinned, hasDigest := strings.Cut(text, "@")
	r := Reference{Repository: name, Digest: pinned}
	if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, '/') {
		r.Repository, r.Version = name[:colon], name[colon+1:]
		if r.Version == "" {
			return Reference{}, fmt.Errorf("must have a version behind the colon of %q", text)
		}
	}
	if _, err := digest.Parse(pinned); hasDigest && err != nil {
		return Reference{}, fmt.Errorf("must have a digest such as sha256:… behind the @, not %q", pinned)
	}
	if err := checkRepository(r.Repository); err != nil {
		return Reference{}, err
	}
	if wrong := CheckVersion(r.Version); wrong != "" {
		return Reference{}, fmt.Errorf("must have a tag or a version range behind the colon: %s", wrong)
	}
	return r, nil
}

// checkRepository returns what is wrong with the name of an image without tag and digest.
func checkRepository(name string) error {
	parsed, err := reference.ParseNormalizedNamed(name)
	if err == nil && !reference.IsNameOnly(parsed) {
		err = errors.New("it has a tag or a digest")
	}
	if err != nil {
		return fmt.Errorf("must be the name of an image, not %q: %w", name, err)
	}
	return nil
}

// CheckVersion returns what is wrong with a tag or a version range, and nothing if it is valid or empty.
func CheckVersion(text string) string {
	if text == "" || reference.TagRegexp.FindString(text) == text {
		return ""
	}
	if _, err := semver.NewConstraint(text); err != nil {
		return fmt.Sprintf("%q is neither (ranges are written as in `>=1.2 <2`, `^1.2`, `~1.2`)", text)
	}
	return ""
}

// Registry returns the registry that the repository names, empty if it names none: that of `acme/redis` is up to the
// request's source.
func (r Reference) Registry() string {
	first, _, several := strings.Cut(r.Repository, "/")
	if several && (strings.ContainsAny(first, ".:") || first == "localhost" || strings.ToLower(first) != first) {
		return first
	}
	return ""
}
