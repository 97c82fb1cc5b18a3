package document

import "fmt"

// AlreadyExists is the vendor's message for publishing a version again with other content (ResourcePlugin spec,
// publishing). For the default version it shows the bare name.
func AlreadyExists(name PluginName) string {
	if name.Version.String() == DefaultVersion {
		return fmt.Sprintf("resource plugin %q default version (%s) already exists; versions are immutable — "+
			"add an @<semver> suffix to publish a new revision (e.g. %s@0.0.1)", name.Bare, DefaultVersion, name.Bare)
	}
	return fmt.Sprintf("resource plugin %q version %q already exists; versions are immutable — "+
		"bump the @<semver> suffix on name: to publish a new revision", name.Bare, name.Version)
}

// StillReferenced is the vendor's message for removing a version (ResourcePlugin spec, publishing) to which sandboxes,
// listed as text, refer.
func StillReferenced(plugin, sandboxes string) string {
	return fmt.Sprintf("resource plugin %s is still referenced by sandbox(es): %s", plugin, sandboxes)
}

// Shown is the identity for display, without the default version (ResourcePlugin spec, name).
func (n PluginName) Shown() string {
	if n.Version.String() == DefaultVersion {
		return n.Bare
	}
	return n.String()
}
