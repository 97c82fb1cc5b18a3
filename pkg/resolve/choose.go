package resolve

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// question is a reference, and whether locks apply.
type question struct {
	reference string
	fresh     bool
}

type answer struct {
	choice *Choice
	err    error
}

// Resolve returns the version that a reference resolves to, with its document, for rendering. It is Choose with an
// error if the document is not in the list.
func (c *Catalog) Resolve(reference string) (*Choice, error) {
	choice, err := c.Choose(reference)
	if err != nil || choice.Item != nil {
		return choice, err
	}
	where := "somewhere else"
	if choice.Source != "" {
		where += " (" + choice.Source + ")"
	}
	return nil, referenceError("the %s document of %s must be in the list: %s lists the version, and the document is %s; "+
		"add it", contract.ResourcePlugin, choice.Pin(), choice.entry.label(), where)
}

// Choose returns the version that a reference resolves to: the locked one, else the pinned one or the channel's, else
// the highest in its range. A bare reference and `@latest` resolve to the highest release, and without releases to the
// highest prerelease, with a warning. A floating reference never resolves to a yanked version, and to a deprecated one
// only if no other fits.
//
// The error is a *ReferenceError if no version fits, and a *DocumentError if the document cannot be read, has the same
// precedence as another, is not a plugin, or differs from the published one.
func (c *Catalog) Choose(reference string) (*Choice, error) {
	return c.answer(question{reference: reference})
}

// ChooseFresh is Choose without locks.
func (c *Catalog) ChooseFresh(reference string) (*Choice, error) {
	return c.answer(question{reference: reference, fresh: true})
}

func (c *Catalog) answer(q question) (*Choice, error) {
	known, ok := c.answers[q]
	if !ok {
		known.choice, known.err = c.choose(q)
		c.answers[q] = known
	}
	return known.choice, known.err
}

func (c *Catalog) choose(q question) (*Choice, error) {
	reference, err := document.ParsePluginReference(q.reference)
	if err != nil {
		return nil, &ReferenceError{Message: "plugin " + err.Error(), Proposed: normalize(q.reference)}
	}
	if locked, ok := c.locks.byReference[q.reference]; ok && !q.fresh {
		return c.chooseLocked(reference, locked)
	}
	p := c.plugins[reference.Bare]
	if p == nil {
		return nil, c.unknownPlugin(reference)
	}
	channelVersion, err := p.openChannel(reference)
	if err != nil {
		return nil, err
	}
	n := c.narrow(p.entries, reference, channelVersion)
	switch {
	case p.unread != nil && (reference.Floats() && channelVersion == nil || len(n.left) == 0):
		return nil, p.unread
	case len(p.entries) == 0:
		return nil, c.unknownPlugin(reference)
	case len(n.left) == 0:
		return nil, p.unknownVersion(reference, channelVersion, n)
	}
	if err := c.verifyContent(n.left[0]); err != nil {
		return nil, err
	}
	choice := n.left[0].choice(p)
	choice.Floats, choice.Trace = reference.Floats(), n.trace
	if n.noRelease {
		choice.warn("%s is a prerelease, chosen since there is no release: name it in the reference to accept it", n.left[0].name)
	}
	return choice, nil
}

// openChannel returns the version that a reference's channel names, or nil if the reference has no channel. The version
// must not be yanked.
func (p *pluginVersions) openChannel(reference document.PluginReference) (*semver.Version, error) {
	if reference.Channel == "" {
		return nil, nil
	}
	v, from, found := p.channel(reference.Channel)
	if found != nil {
		return nil, found
	}
	if v == nil {
		return nil, p.unknownChannel(reference)
	}
	if e := p.find(v); e != nil && e.broken == nil && e.yanked != "" {
		return nil, referenceError("channel %q of plugin %q (%s) names %s, which is yanked: %q; refer to another version",
			reference.Channel, reference.Bare, from.source.label(), v, e.yanked)
	}
	return v, nil
}

// chooseLocked returns the version that a lock has for a reference. It must still exist, with the same digest.
func (c *Catalog) chooseLocked(reference document.PluginReference, locked lockedEntry) (*Choice, error) {
	name, err := document.ParsePluginName(locked.Chosen)
	if err != nil {
		return nil, referenceError("locked %s", err)
	}
	by := locked.lock.item.Name()
	p := c.plugins[reference.Bare]
	var found *entry
	if p != nil {
		found = p.find(name.Version)
	}
	if found == nil {
		return nil, p.gone(name, fmt.Sprintf("the lock %q has it for %q", by, reference))
	}
	if !c.runs(found) {
		return nil, referenceError("%s requires Kubernetes %s, and kubernetesVersion is %s: the lock %q must be updated",
			name, found.kubernetes, c.kubernetes, by)
	}
	if err := c.verifyContent(found); err != nil {
		return nil, err
	}
	choice := found.choice(p)
	choice.Floats, choice.Lock = reference.Floats(), by
	return choice, nil
}

// verifyContent checks the digest of a version against catalogs and against all locks, whatever their references.
func (c *Catalog) verifyContent(e *entry) error {
	if err := e.load(); err != nil {
		return err
	}
	if locked, ok := c.locks.byPin[e.name.String()]; ok && locked.Digest != e.digest {
		return e.changed(fmt.Sprintf("the lock %s has it as %s", label(locked.lock.item), locked.Digest))
	}
	return nil
}
