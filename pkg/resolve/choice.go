package resolve

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Choice is the version that a reference resolves to.
type Choice struct {
	// Item is the plugin's document, nil if it is not in the list.
	Item *krm.Item
	// Spec is the document's spec, nil if the document is not in the list.
	Spec *v1alpha1.ResourcePluginSpec
	// Digest is the document's digest.
	Digest string
	// Floats means that the reference is not a pin: another run may choose another version, unless it is locked.
	Floats bool
	// Lock is the name of the PluginLock that made the choice, or empty.
	Lock string
	// Trace is how many versions each stage of resolution left. It is empty if a lock made the choice.
	Trace Trace
	// Source is the location of the document according to a catalog, or empty.
	Source string
	// Warnings are about the choice, one line each.
	Warnings []string

	entry *entry
}

// Pin is the version in full, such as `hello-db@1.2.0`, `@0.0.0` included.
func (c *Choice) Pin() string { return c.entry.name.String() }

// Version is the plugin's version.
func (c *Choice) Version() *semver.Version { return c.entry.name.Version }

// choice returns the version, with the warnings about every choice of it.
func (e *entry) choice(p *pluginVersions) *Choice {
	choice := &Choice{Digest: e.digest, Source: e.source, entry: e}
	if e.plugin != nil {
		choice.Item, choice.Spec = e.item, &e.plugin.Spec
	}
	if reason := e.yanked; reason != "" {
		choice.warn("%s is yanked: %q; refer to another version once nothing needs this one", e.name, reason)
	}
	if reason := e.deprecated; reason != "" {
		choice.warn("%s is deprecated: %q", e.name, reason)
	}
	if reason := p.deprecated; reason != "" {
		choice.warn("plugin %q is deprecated: %q", e.name.Bare, reason)
	}
	return choice
}

func (c *Choice) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// entryFor returns the lock entry of the choice for a reference.
func (c *Choice) entryFor(reference string) v1alpha1.LockEntry {
	return v1alpha1.LockEntry{Asked: reference, Chosen: c.Pin(), Digest: c.Digest}
}

// How explains the choice in one line.
func (c *Choice) How() string {
	if c.Lock != "" {
		return fmt.Sprintf("kept by the lock %q", c.Lock)
	}
	parts := []string{c.Trace.String() + " -> highest"}
	for _, count := range c.Trace[min(2, len(c.Trace)):] {
		parts = append(parts, count.Stage+" leaves out "+strictyaml.FirstOf(count.Dropped()))
	}
	return strings.Join(parts, "; ")
}

// Settled checks that no choice was needed. It returns a *ReferenceError if the reference floats, is not locked, and
// the plugin has more than one version.
func (c *Choice) Settled(reference string) error {
	only := len(c.Trace) > 0 && c.Trace[0].Left == 1
	if !c.Floats || c.Lock != "" || only {
		return nil
	}
	return referenceError("%q must not float in the delete phase, which must run the version that created the resources: "+
		"pin it, or lock it (%s)", reference, lockLine(c.entryFor(reference)))
}
