package catalog

import (
	"fmt"
	"strings"

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
}

func (e *ReferenceError) Error() string { return e.Message }

// DocumentError tells what is wrong with a document that is needed.
type DocumentError struct {
	Item    *krm.Item
	Path    krm.Path
	Message string
}

func (e *DocumentError) Error() string {
	return fmt.Sprintf("%s %q: %s: %s", e.Item.Kind(), e.Item.Name(), e.Path, e.Message)
}

// Result returns the error as a finding about the document.
func (e *DocumentError) Result() krm.Result { return krm.At(e.Item, e.Path, krm.Error, e.Message) }

// conflict marks documents of equal precedence as unusable.
func conflict(entries []*entry) []*DocumentError {
	labels := make([]string, len(entries))
	for i, e := range entries {
		labels[i] = label(e.item)
	}
	message := fmt.Sprintf("version %s of plugin %q must be published once, not by %s: remove one, or bump its version",
		entries[0].name.Version, entries[0].name.Bare, strings.Join(labels, " and "))
	problems := make([]*DocumentError, len(entries))
	for i, e := range entries {
		e.broken = &DocumentError{Item: e.item, Path: namePath, Message: message}
		problems[i] = e.broken
	}
	return problems
}

// compareNames finds plugins whose names differ only in case.
func (c *Catalog) compareNames() {
	spelled := make(map[string]string, len(c.names))
	for _, name := range c.names {
		folded := strings.ToLower(name)
		other, taken := spelled[folded]
		if !taken {
			spelled[folded] = name
			continue
		}
		c.problems = append(c.problems, &DocumentError{
			Item: c.plugins[name][0].item, Path: namePath,
			Message: fmt.Sprintf("plugin %q must not differ only in case from plugin %q: rename one", name, other),
		})
	}
}
