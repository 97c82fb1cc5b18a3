package version

import "fmt"

// AlreadyExists is the vendor's refusal to publish a version again with another content (ResourcePlugin spec,
// publishing). The default version is told of by its bare name.
func AlreadyExists(name Name) string {
	if name.Version.String() == Default {
		return fmt.Sprintf("resource plugin %q default version (%s) already exists; versions are immutable — "+
			"add an @<semver> suffix to publish a new revision (e.g. %s@0.0.1)", name.Bare, Default, name.Bare)
	}
	return fmt.Sprintf("resource plugin %q version %q already exists; versions are immutable — "+
		"bump the @<semver> suffix on name: to publish a new revision", name.Bare, name.Version)
}

// StillReferenced is the vendor's refusal to remove a version (ResourcePlugin spec, publishing) that sandboxes, listed
// as text, have.
func StillReferenced(plugin, sandboxes string) string {
	return fmt.Sprintf("resource plugin %s is still referenced by sandbox(es): %s", plugin, sandboxes)
}

// Shown is the identity as people are told it: the default version goes without saying (ResourcePlugin spec, name).
func (n Name) Shown() string {
	if n.Version.String() == Default {
		return n.Bare
	}
	return n.String()
}
