package resolve

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/version"
)

// Confirm checks that the choice is what a sandbox has on record. Published versions are immutable: it is an error, in
// the words of the vendor's API, when the same version comes with another digest. An error is a *DocumentError about
// the plugin's document.
func (c *Choice) Confirm(recorded Resolution) error {
	if recorded.Pin != c.Name.String() || recorded.Digest == c.Digest {
		return nil
	}
	return c.entry.changed("it was resolved as " + recorded.Digest)
}

// changed tells that a version is not what was published, and who knows it otherwise.
func (e *entry) changed(known string) *DocumentError {
	item, path := e.place("digest")
	return &DocumentError{
		Item: item, Path: path, Changed: true,
		Message: fmt.Sprintf("%s; %s and is %s now", version.AlreadyExists(e.name), known, e.digest),
	}
}

// StillReferenced is the vendor's refusal to remove a version (ResourcePlugin spec, publishing): for a version that has
// disappeared though sandboxes, listed as text, were resolved to it.
func StillReferenced(pin, sandboxes string) string {
	return version.StillReferenced(pin, sandboxes) +
		"; a published version must stay as long as a sandbox has it: restore it"
}
