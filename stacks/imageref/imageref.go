// Package imageref splits references of container images, and points them to a registry or mirror.
package imageref

import (
	_ "crypto/sha512" // digests of all algorithms can be parsed
	"strings"

	"github.com/distribution/reference"
)

// Split splits a reference without checking it. The selector is the text after the last colon, if no slash follows the
// colon, such as `>=0.1 <0.3` in `acme/redis:>=0.1 <0.3`.
func Split(text string) (name, selector, digest string) {
	name, digest, _ = strings.Cut(text, "@")
	if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, '/') {
		return name[:colon], name[colon+1:], digest
	}
	return name, "", digest
}

// maxImageName is the longest name with a registry, in bytes. The parser does not count the registry.
const maxImageName = 255

// WithSource returns an image with a registry as prefix, unless the image has one. An invalid image is returned
// unchanged. Slashes at the ends of the source are ignored. crossplane v0.10 used a request's source in this way:
// https://github.com/crossplane/crossplane/blob/v0.10.0/apis/stacks/v1alpha1/types.go
func WithSource(source, image string) string {
	if source == "" {
		return image
	}
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil || len(named.Name()) > maxImageName || strings.HasPrefix(image, reference.Domain(named)) {
		return image
	}
	return strings.Trim(source, "/") + "/" + image
}

// Mirrored returns the location of an image in a mirror: the longest matching prefix is replaced. It also returns the
// prefix, or "".
func Mirrored(mirror map[string]string, image string) (at, prefix string) {
	at = image
	for from, to := range mirror {
		if strings.HasPrefix(image, from) && len(from) > len(prefix) {
			at, prefix = to+image[len(from):], from
		}
	}
	return at, prefix
}
