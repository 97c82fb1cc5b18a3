// Package image checks and compares references of container images. Check says what is wrong with a text:
//
//	wrong := image.Check("Ubuntu latest")
package image

import (
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
