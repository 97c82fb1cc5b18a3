package resolve

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/document"
)

// Confirm checks the choice against the record of a sandbox. Published versions are immutable: the same version with
// another digest is a *DocumentError about the plugin's document, worded as in the vendor's API.
func (c *Choice) Confirm(recorded Resolution) error {
	if recorded.Pin != c.Pin() || recorded.Digest == c.Digest {
		return nil
	}
	return c.entry.changed("it was resolved as " + recorded.Digest)
}

// changed returns the error that a version differs from the published one; known names the document with the other
// digest.
func (e *entry) changed(known string) *DocumentError {
	item, path := e.place("digest")
	return &DocumentError{
		Item: item, Path: path, Changed: true,
		Message: fmt.Sprintf("%s; %s and is %s now", document.AlreadyExists(e.name), known, e.digest),
	}
}
