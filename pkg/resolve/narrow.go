package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// narrowed is the result of the stages that filter a plugin's versions for a reference.
type narrowed struct {
	left  []*entry
	trace Trace
	// noRelease means that prereleases were kept since there is no release.
	noRelease bool
	// refused explains, after "no version in …", why a stage kept no version. It is empty if the reference itself is
	// the reason.
	refused string
}

// narrow applies the stages for a reference. channelVersion is the version of its channel, or nil without a channel.
//
// A broken version passes every stage but the first, which considers only the version: if it were dropped, another
// version would be chosen silently.
func (c *Catalog) narrow(entries []*entry, reference document.PluginReference, channelVersion *semver.Version) *narrowed {
	n := &narrowed{left: entries, trace: Trace{{Stage: "all", Left: len(entries)}}}
	n.selection(reference, channelVersion)
	chooses := reference.Floats() && channelVersion == nil
	if chooses && !n.keep("not yanked", func(e *entry) bool { return e.broken != nil || e.yanked == "" }) {
		n.refuse("that is not yanked: ", func(e *entry) string {
			return fmt.Sprintf("%s is yanked (%q)", e.name.Version, e.yanked)
		})
	}
	if c.kubernetes != nil && !n.keep("Kubernetes "+c.kubernetes.String(), c.runs) {
		n.refuse(fmt.Sprintf("for Kubernetes %s: ", c.kubernetes), func(e *entry) string {
			return fmt.Sprintf("%s requires %s", e.name.Version, e.kubernetes)
		})
	}
	if chooses && len(n.left) > 0 {
		// No warning if all are deprecated: every choice of a deprecated version has one.
		n.keep("not deprecated", func(e *entry) bool { return e.broken != nil || e.deprecated == "" })
		// No catalog of a lower priority can take over a name by publishing a higher version.
		highest := slices.MaxFunc(n.left, func(a, b *entry) int { return cmp.Compare(a.priority(), b.priority()) }).priority()
		n.keep("highest priority", func(e *entry) bool { return e.broken != nil || e.priority() == highest })
	}
	return n
}

// selection is the stage of the reference itself.
func (n *narrowed) selection(reference document.PluginReference, channelVersion *semver.Version) {
	fits := func(e *entry) bool { return reference.Admits(e.name.Version) }
	switch {
	case channelVersion != nil:
		fits = func(e *entry) bool { return e.is(channelVersion) }
	case reference.Floats() && !reference.Ranges():
		n.noRelease = !n.keep("releases", func(e *entry) bool { return e.name.Version.Prerelease() == "" })
		return
	}
	if !n.keep(reference.Selector, fits) {
		n.left = nil
	}
}

// keep drops the versions that do not fit, unless none fits: then it returns false. The first stage is always in the
// trace, others only if they drop versions.
func (n *narrowed) keep(stage string, fits func(*entry) bool) bool {
	var kept, dropped []*entry
	for _, e := range n.left {
		if fits(e) {
			kept = append(kept, e)
		} else {
			dropped = append(dropped, e)
		}
	}
	if len(dropped) > 0 || len(n.trace) == 1 {
		n.trace = append(n.trace, Count{stage, len(kept), dropped})
	}
	if len(kept) == 0 && len(dropped) > 0 {
		return false
	}
	n.left = kept
	return true
}

// refuse drops all versions, with a reason for each.
func (n *narrowed) refuse(why string, of func(*entry) string) {
	n.refused, n.left = why+strictyaml.FirstOf(texts(n.left, of)), nil
}

// runs reports whether a version runs on the cluster's version of Kubernetes, if both are known.
func (c *Catalog) runs(e *entry) bool {
	return c.kubernetes == nil || e.broken != nil || e.kubernetes == nil || !e.kubernetes.GreaterThan(c.kubernetes)
}

// Trace is how many versions each stage of resolution left.
type Trace []Count

// Count is how many versions a stage left.
type Count struct {
	Stage string
	Left  int

	dropped []*entry
}

// Dropped returns the versions that the stage dropped, the highest first.
func (c Count) Dropped() []string { return texts(c.dropped, (*entry).version) }

// String prints the trace in one line: `all=5 -> releases=3`.
func (t Trace) String() string {
	return strings.Join(texts(t, func(c Count) string { return fmt.Sprintf("%s=%d", c.Stage, c.Left) }), " -> ")
}
