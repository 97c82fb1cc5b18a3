package function

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// most is how many sandboxes a message names.
const most = 10

// failure is a reference that was not resolved.
type failure struct {
	*ask
	err error
}

func (r *resolver) fail(a *ask, err error) {
	r.failures[err.Error()] = append(r.failures[err.Error()], failure{a, err})
}

// reportFailures reports why references were not resolved, with every sandbox that asked: at the document that is to be
// mended.
func (r *resolver) reportFailures() {
	for _, message := range slices.Sorted(maps.Keys(r.failures)) {
		failures := r.failures[message]
		var document *resolve.DocumentError
		if errors.As(failures[0].err, &document) {
			r.reportDocument(*document, failures)
			continue
		}
		r.reportReference(failures)
	}
}

// reportDocument reports a document once. One that changed is told with those who have it otherwise.
func (r *resolver) reportDocument(document resolve.DocumentError, failures []failure) {
	if document.Changed {
		who := "asked for by"
		if slices.ContainsFunc(failures, func(f failure) bool { return f.last.Digest != "" }) {
			who = "on record in"
		}
		document.Message += fmt.Sprintf(" (%s sandbox %s)", who, enumerate(sandboxesOf(failures)))
	}
	r.list.Report(document.Result())
}

// reportReference reports a reference wherever it is written.
func (r *resolver) reportReference(failures []failure) {
	message := failures[0].err.Error()
	var reference *resolve.ReferenceError
	sandboxes := sandboxesOf(failures)
	switch isReference := errors.As(failures[0].err, &reference); {
	case isReference && reference.Missing != "" && (reference.Locked || slices.ContainsFunc(failures, onRecord)):
		message = resolve.StillReferenced(reference.Missing, enumerate(sandboxes)) + "; " + message
	case len(sandboxes) > 1:
		message += fmt.Sprintf(" (asked for by sandbox %s)", enumerate(sandboxes))
	}
	for _, f := range failures {
		result := krm.At(f.item, f.path, krm.Error, message)
		if reference != nil && reference.Proposed != "" {
			result.Field.ProposedValue = reference.Proposed
		}
		r.list.Report(result)
	}
}

func onRecord(f failure) bool { return f.last.Digest != "" }

func sandboxesOf(failures []failure) []string {
	names := make([]string, len(failures))
	for i, f := range failures {
		names[i] = f.name
	}
	return names
}

// dropStale tells that what was requested counts no longer, since somebody edited the pin that it resolved to.
func (r *resolver) dropStale(a *ask) {
	if a.stale == nil || a.stale.Requested == "" {
		return
	}
	r.list.Report(krm.At(a.item, a.path, krm.Info, fmt.Sprintf(
		"%q was edited after %q had been resolved to %q: the edit counts, the old request is dropped",
		a.text, a.stale.Requested, a.stale.Pin)))
}

// tell reports the warnings about a choice, what moved, and how the choice came about where that was asked for.
func (r *resolver) tell(a *ask, choice *resolve.Choice) {
	for _, warning := range choice.Warnings {
		r.list.Report(krm.At(a.item, a.path, krm.Warning, warning))
	}
	if a.pinned() && choice.Name.String() != a.text {
		r.list.Report(krm.At(a.item, a.path, krm.Info, fmt.Sprintf("%q moved from %s to %s", a.asked, a.text, choice.Name)))
	}
	if r.Explain {
		r.list.Report(krm.At(a.item, a.path, krm.Info, fmt.Sprintf("%q is %s: %s", a.text, choice.Name, choice.How())))
	}
	if by, frozen := r.frozen[a.asked]; frozen && r.Mode == update && choice.Floats {
		r.list.Report(krm.At(a.item, a.path, krm.Info, fmt.Sprintf(
			"%q does not move as long as sandbox %q is being deleted with it", a.asked, by)))
	}
}

// reportFloats warns of references that mean another version as soon as one is published: kustomize never writes a pin
// back into the source. Each is told once, with the entry that keeps it.
func (r *resolver) reportFloats() {
	severity := krm.Warning
	if r.Strict {
		severity = krm.Error
	}
	for _, asked := range slices.Sorted(maps.Keys(r.answers)) {
		var floating []resolution
		for _, one := range r.answers[asked] {
			if one.kustomize && one.choice.Floats && !one.pinned() {
				floating = append(floating, one)
			}
		}
		if len(floating) == 0 {
			continue
		}
		entry := floating[0].choice.Entry(asked)
		if kept, _, ok := r.plugins.Locks().Get(asked); ok && kept == entry {
			continue
		}
		first := slices.MinFunc(floating, func(a, b resolution) int {
			return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.path, b.path))
		})
		names := make([]string, len(floating))
		for i, one := range floating {
			names[i] = one.name
		}
		r.list.Report(krm.At(first.item, first.path, severity, fmt.Sprintf("%q floats (sandbox %s), so that a new version "+
			"would provision again what is live: pin it, or add to spec.plugins of a PluginLock beside the sandboxes: %s",
			asked, enumerate(names), resolve.LockLine(entry))))
	}
}

// enumerate lists sandboxes by name, the first of them where there are many.
func enumerate(sandboxes []string) string {
	names := slices.Compact(slices.Sorted(slices.Values(sandboxes)))
	rest := ""
	if len(names) > most {
		rest = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return strings.Join(quoted, ", ") + rest
}
