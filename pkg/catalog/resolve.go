package catalog

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/version"
)

// Choice is the version that a reference means.
type Choice struct {
	Plugin *plugin.Plugin
	// Name is the plugin's identity; as a string it is the pin in full, `name@0.0.0` included.
	Name version.Name
	// Digest is the document's digest (package digest).
	Digest string
	// Trail tells how many versions each stage of the pipeline left.
	Trail Trail
	// Warnings are one line each, about the choice.
	Warnings []string
}

// answer is what a reference resolved to.
type answer struct {
	choice *Choice
	err    error
}

// Resolve returns the version that a reference means: the pinned one, else the highest that its range admits. A bare
// reference and `@latest` mean the highest release, and where there is none the highest prerelease, with a warning.
//
// An error is a *ReferenceError where no version fits, and a *DocumentError where the document that would decide cannot
// be read, has another of equal precedence, or is not a plugin.
func (c *Catalog) Resolve(reference string) (*Choice, error) {
	known, ok := c.answers[reference]
	if !ok {
		known.choice, known.err = c.resolve(reference)
		c.answers[reference] = known
	}
	return known.choice, known.err
}

func (c *Catalog) resolve(text string) (*Choice, error) {
	reference, err := version.ParseReference(text)
	if err != nil {
		return nil, &ReferenceError{Message: "plugin " + err.Error(), Proposed: tidy(text)}
	}
	entries := c.plugins[reference.Bare]
	left, trail, warnings := narrow(entries, pipeline(reference))
	unread := c.unread[reference.Bare]
	switch {
	case unread != nil && (reference.Floats() || len(left) == 0):
		return nil, c.unreadable(unread)
	case len(entries) == 0:
		return nil, c.unknownPlugin(reference)
	case len(left) == 0:
		return nil, c.unknownVersion(reference, trail)
	}
	if err := left[0].load(); err != nil {
		return nil, err
	}
	return left[0].choice(trail, warnings), nil
}

func (e *entry) choice(trail Trail, warnings []string) *Choice {
	choice := &Choice{Plugin: e.plugin, Name: e.name, Digest: e.digest, Trail: trail}
	for _, warning := range warnings {
		choice.Warnings = append(choice.Warnings, fmt.Sprintf(warning, e.name))
	}
	return choice
}
