package document

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// PluginReference is a sandbox's reference to a plugin: `bareName[@selector]`. The selector is one version (a pin), a range,
// a channel, or LatestVersion.
type PluginReference struct {
	// Bare is the bare name of the plugin.
	Bare string
	// Selector is the text after "@" as written, empty if the reference is bare.
	Selector string
	// Pin is the version that the selector names, or nil if the reference floats.
	Pin *semver.Version
	// Channel is a catalog's name for a version, empty if the selector is not a channel.
	Channel string

	within *semver.Constraints // of a range, else nil
}

// ParsePluginReference parses a reference. A selector that parses as one version, loosely, is a pin: `@1` is 1.0.0 and
// `@1.2-1.4.5` a prerelease of 1.2.0. Next comes a range in the language of Masterminds semver, such as `^1.2`, `~1.2`,
// `>=1.0 <2`, `1.x` or `1.2 - 1.4`. Everything else must have the form of a channel's name, such as `stable`.
func ParsePluginReference(text string) (PluginReference, error) {
	bare, selector, selects := strings.Cut(text, "@")
	if err := CheckBareName(bare); err != nil {
		return PluginReference{}, err
	}
	r := PluginReference{Bare: bare, Selector: selector}
	switch {
	case !selects || selector == LatestVersion:
		return r, nil
	case len(selector) > semver.MaxConstraintLen:
		return PluginReference{}, fmt.Errorf("version must have at most %d bytes, not %d", semver.MaxConstraintLen, len(selector))
	case strings.TrimSpace(selector) != selector:
		return PluginReference{}, fmt.Errorf("version %q must not begin or end with a blank", selector)
	}
	if err := r.readSelector(); err != nil {
		return PluginReference{}, err
	}
	return r, nil
}

// readSelector parses the selector. A text that the loose parser accepts is never tried as a range: there, `1` would
// mean ^1, and a pin that ParseVersion rejects would silently become a range.
func (r *PluginReference) readSelector() error {
	_, err := semver.NewVersion(r.Selector)
	if err == nil || r.Selector == "" {
		r.Pin, err = ParseVersion(r.Selector)
		return err
	}
	if r.within, err = semver.NewConstraint(r.Selector); err == nil {
		return nil
	}
	if !hasChannelForm(r.Selector) {
		return fmt.Errorf("version %q must be a version such as 1.0.0, a range such as ^1.2, a channel such as stable, or %q",
			r.Selector, LatestVersion)
	}
	r.Channel = r.Selector
	return nil
}

// String returns the reference as written.
func (r PluginReference) String() string {
	if r.Selector == "" {
		return r.Bare
	}
	return r.Bare + "@" + r.Selector
}

// Floats reports whether a new version of the plugin can change the resolution of the reference.
func (r PluginReference) Floats() bool { return r.Pin == nil }

// Ranges reports whether the selector is a range.
func (r PluginReference) Ranges() bool { return r.within != nil }

// Admits reports whether the selector allows v. A pin without build metadata allows every build of its version. A range
// excludes prereleases unless it names one, as Masterminds semver does. A channel allows all: only its catalog knows
// its version.
func (r PluginReference) Admits(v *semver.Version) bool {
	switch {
	case r.Pin != nil:
		return r.Pin.Equal(v) && (r.Pin.Metadata() == "" || r.Pin.Metadata() == v.Metadata())
	case r.within != nil:
		return r.within.Check(v)
	default:
		return true
	}
}
