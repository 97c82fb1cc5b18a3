package catalog

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/version"
)

// Confirm checks that the choice is what a sandbox has on record. Published versions are immutable: it is an error, in
// the words of the vendor's API, when the same version comes with another digest. An error is a *DocumentError about
// the plugin's document.
func (c *Choice) Confirm(recorded Resolution) error {
	if recorded.Pin != c.Name.String() || recorded.Digest == c.Digest {
		return nil
	}
	return &DocumentError{
		Item: c.Plugin.Item, Path: namePath,
		Message: fmt.Sprintf("%s; it was resolved as %s and is %s now", alreadyExists(c.Name), recorded.Digest, c.Digest),
	}
}

// alreadyExists is the vendor's refusal to publish a version again (ResourcePlugin spec, publishing).
func alreadyExists(name version.Name) string {
	if name.Version.String() == version.Default {
		return fmt.Sprintf("resource plugin %q default version (%s) already exists; versions are immutable — "+
			"add an @<semver> suffix to publish a new revision (e.g. %s@0.0.1)", name.Bare, version.Default, name.Bare)
	}
	return fmt.Sprintf("resource plugin %q version %q already exists; versions are immutable — "+
		"bump the @<semver> suffix on name: to publish a new revision", name.Bare, name.Version.String())
}
