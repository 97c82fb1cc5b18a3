package stackpackage

import (
	"errors"
	"io/fs"
)

// Form is how a package is written.
type Form string

// The forms of packages.
const (
	// FormRegistry is a `.registry` folder, as crossplane v0.3 to v0.10 read it.
	FormRegistry Form = "registry"
	// FormXPkg is the file package.yaml of today's packages.
	FormXPkg Form = "xpkg"
)

// Contents is what was read of a package.
type Contents struct {
	// Path is what holds the files: the folder `.registry`, the folder of package.yaml, an OCI layout or a tar.
	Path string
	// Form says what the files are.
	Form Form
	// Files are, of a `.registry` folder, its files with paths below it; of an xpkg, package.yaml alone.
	Files Files
	// Image is the repository of the image with its registry, empty if it is not known.
	Image string
	// Tag is the tag of the image, empty if it is not known.
	Tag string
	// Digest is the digest of the image's manifest, empty if it is not known.
	Digest string
}

// Reference returns the image with its tag and digest, as far as they are known; empty if the image is not.
func (c *Contents) Reference() string {
	if c.Image == "" {
		return ""
	}
	name := c.Image
	if c.Tag != "" {
		name += ":" + c.Tag
	}
	if c.Digest != "" {
		name += "@" + c.Digest
	}
	return name
}

// Read reads the packages at a path, which is one of
//
//   - a `.registry` folder, or the folder that holds it,
//   - a folder that holds package.yaml, or that file,
//   - an OCI layout: a folder or a tar,
//   - the tar that `docker save` writes.
//
// A layout or tar may hold several. It is an error if the path holds none.
func Read(files fs.FS, name string) ([]*Contents, error) {
	return nil, errors.New("not yet")
}
