// Package version parses the names of plugins: `bareName[@version]`, in documents and in references of sandboxes.
// Versions are semver; loose spellings (`v1.0.0`, `1.0`, `1`) are converted to the canonical form.
package version

import (
	"errors"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// MaxBareName is the longest bare name in bytes (ResourcePlugin spec, name).
const MaxBareName = 253

// MaxVersion is the longest version in bytes: the limit of a Kubernetes name, and far beyond any real version.
const MaxVersion = 253

// Default is the version of a document without one in its name (ResourcePlugin spec, name).
const Default = "0.0.0"

// Latest is the alias for the highest version. It is only for reading (ResourcePlugin spec, name).
const Latest = "latest"

// Name is a plugin document's identity.
type Name struct {
	Bare    string
	Version *semver.Version
}

// String returns the full identity, `name@0.0.0` included.
func (n Name) String() string { return n.Bare + "@" + n.Version.String() }

// ParseName parses the name of a plugin document. Without a version it is Default; `@latest` is an error, since it is
// an alias only for reading.
func ParseName(text string) (Name, error) {
	bare, pin, pinned := strings.Cut(text, "@")
	if err := CheckBare(bare); err != nil {
		return Name{}, err
	}
	if !pinned {
		pin = Default
	}
	if pin == Latest {
		return Name{}, errors.New(`version "latest" must not be published: ` +
			`it is an alias for reading; give a semver such as @1.0.0`)
	}
	v, err := Parse(pin)
	if err != nil {
		return Name{}, err
	}
	return Name{Bare: bare, Version: v}, nil
}

// Parse reads one version, loosely: a leading v, missing minor and patch numbers and leading zeros are accepted
// (ResourcePlugin spec, name: versions are canonicalised).
func Parse(text string) (*semver.Version, error) {
	if text == "" {
		return nil, errors.New("version must not be empty: drop the @ or give a semver such as @1.0.0")
	}
	if len(text) > MaxVersion {
		return nil, fmt.Errorf("version must have at most %d bytes, not %d", MaxVersion, len(text))
	}
	v, err := semver.NewVersion(text)
	if err != nil {
		return nil, fmt.Errorf("version %q must be a semver such as 1.0.0", text)
	}
	canonical, err := semver.StrictNewVersion(v.String())
	if err != nil {
		return nil, fmt.Errorf("version %q must be a semver such as 1.0.0", text)
	}
	return canonical, nil
}

// ParseStrict parses one version in the spelling of catalogs: three numbers without a leading v, as in semver 2.0.
func ParseStrict(text string) (*semver.Version, error) {
	if len(text) > MaxVersion {
		return nil, fmt.Errorf("version must have at most %d bytes, not %d", MaxVersion, len(text))
	}
	return semver.StrictNewVersion(text)
}

// CheckBare checks a bare name: `^[a-zA-Z][-a-zA-Z0-9]*[a-zA-Z0-9]$`, at most MaxBareName bytes (ResourcePlugin spec,
// name).
func CheckBare(bare string) error {
	switch {
	case bare == "":
		return errors.New("name must not be empty")
	case len(bare) > MaxBareName:
		return fmt.Errorf("name must have at most %d bytes, not %d", MaxBareName, len(bare))
	case len(bare) < 2:
		return fmt.Errorf("name %q must have at least two characters", bare)
	case !isLetter(bare[0]):
		return fmt.Errorf("name %q must start with a letter", bare)
	case bare[len(bare)-1] == '-':
		return fmt.Errorf("name %q must end in a letter or a digit", bare)
	}
	for i := range len(bare) {
		if c := bare[i]; c != '-' && !isLetter(c) && (c < '0' || c > '9') {
			return fmt.Errorf("name %q must hold letters, digits and dashes only", bare)
		}
	}
	return nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
