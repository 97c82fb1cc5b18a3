package resolve

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const namePath krm.Path = "metadata.name"

// moreFindings follows the first of what is wrong with a document.
const moreFindings = "validate-plugin tells everything that must be mended"

// ReferenceError tells why a reference leads to no version.
type ReferenceError struct {
	Message string
	// Proposed is the reference that is certain to be meant, else empty.
	Proposed string
	// Missing is the version in full that a pin or a lock names and that is not there, else empty.
	Missing string
	// Locked tells that a lock names it.
	Locked bool
}

func (e *ReferenceError) Error() string { return e.Message }

// DocumentError tells what is wrong with a document that is needed.
type DocumentError struct {
	Item    *krm.Item
	Path    krm.Path
	Message string
	// Changed tells that the document is not what was published under its version.
	Changed bool
}

func (e *DocumentError) Error() string {
	return fmt.Sprintf("%s %q: %s: %s", e.Item.Kind(), e.Item.Name(), e.Path, e.Message)
}

// Result returns the error as a finding about the document.
func (e *DocumentError) Result() krm.Result { return krm.At(e.Item, e.Path, krm.Error, e.Message) }
