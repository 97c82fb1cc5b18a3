package resolve

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/version"
)

// question is a reference and how it is to be answered.
type question struct {
	reference string
	fresh     bool
}

type answer struct {
	choice *Choice
	err    error
}

// Resolve returns the version that a reference means, with its document, for whoever renders it. It is Choose but for an
// error where the document is not in the list.
func (c *Catalog) Resolve(reference string) (*Choice, error) {
	choice, err := c.Choose(reference)
	if err == nil && choice.Plugin == nil {
		return nil, choice.noDocument()
	}
	return choice, err
}

// ResolveSettled is Resolve for what must not float, as the delete phase: see Settled.
func (c *Catalog) ResolveSettled(reference string) (*Choice, error) {
	choice, err := c.Resolve(reference)
	if err == nil {
		err = choice.Settled(reference)
	}
	return choice, err
}

// Settled checks that there was nothing to choose: it is a *ReferenceError where the reference floats, is not locked, and
// the plugin has more than one version.
func (c *Choice) Settled(reference string) error {
	only := len(c.Trail) > 0 && c.Trail[0].Left == 1
	if !c.Floats || c.Lock != "" || only {
		return nil
	}
	return unsettled(reference, c)
}

// Choose returns the version that a reference means: the locked one, else the pinned one or the channel's, else the
// highest that its range admits. A bare reference and `@latest` mean the highest release, and where there is none the
// highest prerelease, with a warning. What floats never means a yanked version, and a deprecated one only where no other
// fits.
//
// An error is a *ReferenceError where no version fits, and a *DocumentError where the document that would decide cannot
// be read, has another of equal precedence, is not a plugin, or is not what was published.
func (c *Catalog) Choose(reference string) (*Choice, error) {
	return c.answer(question{reference: reference})
}

// ChooseFresh is Choose without regard to locks.
func (c *Catalog) ChooseFresh(reference string) (*Choice, error) {
	return c.answer(question{reference: reference, fresh: true})
}

func (c *Catalog) answer(q question) (*Choice, error) {
	known, ok := c.answers[q]
	if !ok {
		known.choice, known.err = c.resolve(q)
		c.answers[q] = known
	}
	return known.choice, known.err
}

func (c *Catalog) resolve(q question) (*Choice, error) {
	reference, err := version.ParseReference(q.reference)
	if err != nil {
		return nil, &ReferenceError{Message: "plugin " + err.Error(), Proposed: tidy(q.reference)}
	}
	if kept, by, ok := c.locks.Get(q.reference); ok && !q.fresh {
		return c.locked(reference, kept, by)
	}
	f := c.families[reference.Bare]
	if f == nil {
		return nil, c.unknownPlugin(reference)
	}
	meant, err := f.openChannel(reference)
	if err != nil {
		return nil, err
	}
	p := narrow(f.entries, c.pipeline(reference, meant))
	if err := c.judge(f, reference, meant, p); err != nil {
		return nil, err
	}
	return c.take(p.left[0], f, reference, p)
}

// judge returns why none of what a reference's filters left may be chosen, if so.
func (c *Catalog) judge(f *family, reference version.Reference, meant *semver.Version, p passage) error {
	switch {
	case f.unread != nil && (reference.Floats() && meant == nil || len(p.left) == 0):
		return f.unread
	case len(f.entries) == 0:
		return c.unknownPlugin(reference)
	case len(p.left) == 0:
		return f.unknownVersion(reference, meant, p)
	}
	return nil
}

// take chooses a version, whose content must be what is known of it.
func (c *Catalog) take(chosen *entry, f *family, reference version.Reference, p passage) (*Choice, error) {
	if err := chosen.load(); err != nil {
		return nil, err
	}
	if err := c.keepsTo(chosen); err != nil {
		return nil, err
	}
	choice := chosen.choice(f)
	choice.Floats, choice.Trail = reference.Floats(), p.trail
	for _, warning := range p.warnings {
		choice.Warnings = append(choice.Warnings, fmt.Sprintf(warning, chosen.name))
	}
	return choice, nil
}

// openChannel returns the version that a reference's channel means, nil where it names none. A version that is yanked
// must not be chosen by a name that moves.
func (f *family) openChannel(reference version.Reference) (*semver.Version, error) {
	if reference.Channel == "" {
		return nil, nil
	}
	v, from, found := f.channel(reference.Channel)
	if found != nil {
		return nil, found
	}
	if v == nil {
		return nil, f.unknownChannel(reference)
	}
	if e := f.find(v); e != nil && e.broken == nil && e.yanked() != "" {
		return nil, &ReferenceError{Message: fmt.Sprintf("channel %q of plugin %q (%s) names %s, which is yanked: %q; "+
			"refer to another version", reference.Channel, reference.Bare, from.source.label(), v, e.yanked())}
	}
	return v, nil
}
