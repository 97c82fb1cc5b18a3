package document

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

// DefaultVersion is the version of a document without one in its name (ResourcePlugin spec, name).
const DefaultVersion = "0.0.0"

// LatestVersion is the alias for the highest version. It is only for reading (ResourcePlugin spec, name).
const LatestVersion = "latest"

// PluginName is a plugin document's identity.
type PluginName struct {
	Bare    string
	Version *semver.Version
}

// String returns the full identity, `name@0.0.0` included.
func (n PluginName) String() string { return n.Bare + "@" + n.Version.String() }

// ParsePluginName parses the name of a plugin document. Without a version it is DefaultVersion; `@latest` is an error, since
// it is an alias only for reading.
func ParsePluginName(text string) (PluginName, error) {
	bare, pin, pinned := strings.Cut(text, "@")
	if err := CheckBareName(bare); err != nil {
		return PluginName{}, err
	}
	if !pinned {
		pin = DefaultVersion
	}
	if pin == LatestVersion {
		return PluginName{}, errors.New(`version "latest" must not be published: ` +
			`it is an alias for reading; give a semver such as @1.0.0`)
	}
	v, err := ParseVersion(pin)
	if err != nil {
		return PluginName{}, err
	}
	return PluginName{Bare: bare, Version: v}, nil
}

// ParseVersion reads one version, loosely: a leading v, missing minor and patch numbers and leading zeros are accepted
// (ResourcePlugin spec, name: versions are canonicalised).
func ParseVersion(text string) (*semver.Version, error) {
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

// ParseStrictVersion parses one version in the spelling of catalogs: three numbers without a leading v, as in semver 2.0.
func ParseStrictVersion(text string) (*semver.Version, error) {
	if len(text) > MaxVersion {
		return nil, fmt.Errorf("version must have at most %d bytes, not %d", MaxVersion, len(text))
	}
	return semver.StrictNewVersion(text)
}

// CheckBareName checks a bare name: `^[a-zA-Z][-a-zA-Z0-9]*[a-zA-Z0-9]$`, at most MaxBareName bytes (ResourcePlugin spec,
// name).
func CheckBareName(bare string) error {
	switch {
	case bare == "":
		return errors.New("name must not be empty")
	case len(bare) > MaxBareName:
		return fmt.Errorf("name must have at most %d bytes, not %d", MaxBareName, len(bare))
	case len(bare) < 2:
		return fmt.Errorf("name %q must have at least two characters", bare)
	case !isLetter(rune(bare[0])):
		return fmt.Errorf("name %q must start with a letter", bare)
	case bare[len(bare)-1] == '-':
		return fmt.Errorf("name %q must end in a letter or a digit", bare)
	}
	for i := range len(bare) {
		if c := bare[i]; c != '-' && !isLetter(rune(c)) && (c < '0' || c > '9') {
			return fmt.Errorf("name %q must hold letters, digits and dashes only", bare)
		}
	}
	return nil
}
