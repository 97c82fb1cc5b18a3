package resolve

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/version"
)

// Choice is the version that a reference means.
type Choice struct {
	// Plugin is the document, nil where it is not in the list.
	Plugin *document.Plugin
	// Name is the plugin's identity; as a string it is the pin in full, `name@0.0.0` included.
	Name version.Name
	// Digest is the document's digest (package digest).
	Digest string
	// Floats tells whether the reference is no pin: another run may choose another version, unless it is locked.
	Floats bool
	// Lock is the name of the PluginLock that made the choice, empty where the pipeline did.
	Lock string
	// Trail tells how many versions each stage of the pipeline left. It is empty where a lock made the choice.
	Trail Trail
	// Source says where the document can be had, as a catalog has it; empty where none does.
	Source string
	// Warnings are one line each, about the choice.
	Warnings []string

	entry *entry
}

// choice returns the version with the warnings that whoever takes it gets.
func (e *entry) choice(f *family) *Choice {
	choice := &Choice{Plugin: e.plugin, Name: e.name, Digest: e.digest, Source: e.source(), entry: e}
	if reason := e.yanked(); reason != "" {
		choice.warn("%s is yanked: %q; refer to another version once nothing needs this one", e.name, reason)
	}
	if reason := e.deprecated(); reason != "" {
		choice.warn("%s is deprecated: %q", e.name, reason)
	}
	if reason := f.deprecated(); reason != "" {
		choice.warn("plugin %q is deprecated: %q", e.name.Bare, reason)
	}
	return choice
}

func (c *Choice) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// Entry returns the choice as a lock holds it.
func (c *Choice) Entry(asked string) v1alpha1.LockEntry {
	return v1alpha1.LockEntry{Asked: asked, Chosen: c.Name.String(), Digest: c.Digest}
}

// How tells in one line how the choice came about.
func (c *Choice) How() string {
	if c.Lock != "" {
		return fmt.Sprintf("kept by the lock %q", c.Lock)
	}
	parts := []string{c.Trail.String() + " -> highest"}
	for _, count := range c.Trail[min(2, len(c.Trail)):] {
		parts = append(parts, count.Stage+" leaves out "+enough(count.Dropped()))
	}
	return strings.Join(parts, "; ")
}

// noDocument tells that what is to be rendered is known by name alone.
func (c *Choice) noDocument() error {
	where := ""
	if c.Source != "" {
		where = fmt.Sprintf(" (%s)", c.Source)
	}
	return &ReferenceError{Message: fmt.Sprintf("the %s document of %s must be in the list: %s lists the version, "+
		"and the document is somewhere else%s; add it", contract.ResourcePlugin, c.Name, c.entry.label(), where)}
}

// locked returns the version that a lock has for a reference. It must be there still, and be what it was.
func (c *Catalog) locked(reference version.Reference, kept v1alpha1.LockEntry, by *Lock) (*Choice, error) {
	name, err := version.ParseName(kept.Chosen)
	if err != nil {
		return nil, &ReferenceError{Message: "locked " + err.Error()}
	}
	f := c.families[reference.Bare]
	var found *entry
	if f != nil {
		found = f.find(name.Version)
	}
	if found == nil {
		return nil, c.gone(name, fmt.Sprintf("the lock %q has it for %q", by.Item.Name(), reference), f)
	}
	if c.kubernetes != nil && len(c.runnable().keep([]*entry{found})) == 0 {
		return nil, &ReferenceError{Message: fmt.Sprintf("%s requires Kubernetes %s, and kubernetesVersion is %s: "+
			"the lock %q must be moved", name, found.kubernetes(), c.kubernetes, by.Item.Name())}
	}
	if err := found.load(); err != nil {
		return nil, err
	}
	if err := c.keepsTo(found); err != nil {
		return nil, err
	}
	choice := found.choice(f)
	choice.Floats, choice.Lock = reference.Floats(), by.Item.Name()
	return choice, nil
}

// keepsTo checks that a version is what the locks have on it, whichever reference it was locked for.
func (c *Catalog) keepsTo(e *entry) error {
	if kept, by, ok := c.locks.Chosen(e.name.String()); ok && kept.Digest != e.digest {
		return e.changed(fmt.Sprintf("the lock %s has it as %s", label(by.Item), kept.Digest))
	}
	return nil
}
