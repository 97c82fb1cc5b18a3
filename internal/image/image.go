// Package image checks and compares references of container images. Check says what is wrong with a text:
//
//	wrong := image.Check("Ubuntu latest")
package image

import (
	_ "crypto/sha512" // digests of all algorithms can be parsed
	"fmt"
	"strings"

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

// maxName is the longest name with a registry, in bytes. The parser counts without the registry.
const maxName = 255

// WithSource returns an image with a registry in front, unless the image names one. A text that is no image stays as it is.
// Slashes at the ends of the source do not count. This is what crossplane v0.10 made of a request's source:
// https://github.com/crossplane/crossplane/blob/v0.10.0/apis/stacks/v1alpha1/types.go
func WithSource(source, image string) string {
	if source == "" {
		return image
	}
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil || len(named.Name()) > maxName || strings.HasPrefix(image, reference.Domain(named)) {
		return image
	}
	return strings.Trim(source, "/") + "/" + image
}

// Mirrored returns where a mirror has an image: of the prefixes that the image begins with, the longest is replaced. It
// returns the prefix, too, which is empty if there is none.
func Mirrored(mirror map[string]string, image string) (at, prefix string) {
	at = image
	for from, to := range mirror {
		if strings.HasPrefix(image, from) && len(from) > len(prefix) {
			at, prefix = to+image[len(from):], from
		}
	}
	return at, prefix
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
