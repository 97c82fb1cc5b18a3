package document

import (
	_ "crypto/sha512" // digests of all algorithms can be parsed
	"fmt"

	"github.com/distribution/reference"
)

// CheckImage returns the problem of a reference as a message with "must", or "" if it is valid. An empty one is valid:
// whether an image is required is a separate rule.
func CheckImage(image string) string {
	if image == "" {
		return ""
	}
	if _, err := reference.ParseNormalizedNamed(image); err != nil {
		return fmt.Sprintf("must be a valid image reference, not %q: %v", image, err)
	}
	return ""
}

// SameImage reports whether two references name the same image: `ubuntu` is `docker.io/library/ubuntu:latest`.
func SameImage(a, b string) bool {
	one, err := reference.ParseNormalizedNamed(a)
	other, err2 := reference.ParseNormalizedNamed(b)
	if err != nil || err2 != nil {
		return a == b
	}
	return reference.TagNameOnly(one).String() == reference.TagNameOnly(other).String()
}

// CheckImageRepository returns the problem of a repository name, a reference without a tag and a digest, as a message with
// "must", or "" if it is valid.
func CheckImageRepository(name string) string {
	switch named, err := reference.ParseNormalizedNamed(name); {
	case err != nil:
		return fmt.Sprintf("must be an image repository in lower case, such as registry.example.org/acme/redis, not %q", name)
	case !reference.IsNameOnly(named):
		return fmt.Sprintf("must be an image repository without a tag or a digest, not %q", name)
	}
	return ""
}

// ImageRepository returns the full name of a repository, with the registry: `redis` is docker.io/library/redis. An invalid
// name is returned unchanged.
func ImageRepository(name string) string {
	named, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return name
	}
	return named.Name()
}
