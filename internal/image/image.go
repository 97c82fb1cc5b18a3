// Package image checks and compares references of container images. Check says what is wrong with a text:
//
//	wrong := image.Check("Ubuntu latest")
package image

import (
	_ "crypto/sha512" // digests of all algorithms can be parsed
	"fmt"

	"github.com/distribution/reference"
)

// Check returns what is wrong with a reference, in words with "must", and nothing if it is valid. An empty one is valid:
// whether an image must be given is another rule.
func Check(image string) string {
	if image == "" {
		return ""
	}
	if _, err := reference.ParseNormalizedNamed(image); err != nil {
		return fmt.Sprintf("must be a valid image reference, not %q: %v", image, err)
	}
	return ""
}

// Same reports whether two references name the same image: `ubuntu` is `docker.io/library/ubuntu:latest`.
func Same(a, b string) bool {
	one, err := reference.ParseNormalizedNamed(a)
	other, err2 := reference.ParseNormalizedNamed(b)
	if err != nil || err2 != nil {
		return a == b
	}
	return reference.TagNameOnly(one).String() == reference.TagNameOnly(other).String()
}

// CheckRepository returns what is wrong with the name of a repository, which is a reference without a tag and a digest, in
// words with "must", and nothing if it is valid.
func CheckRepository(name string) string {
	switch named, err := reference.ParseNormalizedNamed(name); {
	case err != nil:
		return fmt.Sprintf("must be an image repository in lower case, such as registry.example.org/acme/redis, not %q", name)
	case !reference.IsNameOnly(named):
		return fmt.Sprintf("must be an image repository without a tag or a digest, not %q", name)
	}
	return ""
}

// Repository returns the name of a repository in full, with the registry: `redis` is docker.io/library/redis. A name that
// is not valid stays as it is.
func Repository(name string) string {
	named, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return name
	}
	return named.Name()
}
