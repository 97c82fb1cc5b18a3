package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// fail records why a reference was not resolved.
func (r *resolver) fail(ref *reference, err error) {
	ref.err = err
	r.failures[err.Error()] = append(r.failures[err.Error()], ref)
}

func (r *resolver) add(ref *reference, severity krm.Severity, format string, args ...any) {
	r.list.Report(krm.At(ref.item, ref.path, severity, fmt.Sprintf(format, args...)))
}

// reportFailures reports why references were not resolved, at the document that is to be fixed, with all sandboxes that
// have such a reference.
func (r *resolver) reportFailures() {
	for _, message := range slices.Sorted(maps.Keys(r.failures)) {
		failures := r.failures[message]
		var document *DocumentError
		if errors.As(failures[0].err, &document) {
			r.reportDocument(*document, failures)
			continue
		}
		r.reportReference(message, failures)
	}
}

// reportDocument reports a document once. If it changed, the message names the sandboxes that have another digest.
func (r *resolver) reportDocument(document DocumentError, failures []*reference) {
	if document.Changed {
		who := "asked for by"
		if slices.ContainsFunc(failures, isOnRecord) {
			who = "on record in"
		}
		document.Message += fmt.Sprintf(" (%s sandbox %s)", who, sandboxNames(failures))
	}
	r.list.Report(document.Result())
}

// reportReference reports a reference at each of its places.
func (r *resolver) reportReference(message string, failures []*reference) {
	var cause *ReferenceError
	names := sandboxNames(failures)
	switch isReference := errors.As(failures[0].err, &cause); {
	case isReference && cause.Missing != "" && (cause.Locked || slices.ContainsFunc(failures, isOnRecord)):
		message = fmt.Sprintf("%s; a published version must stay while a sandbox uses it: restore it; %s",
			document.StillReferenced(cause.Missing, names), message)
	case len(failures) > 1:
		message += fmt.Sprintf(" (asked for by sandbox %s)", names)
	}
	for _, f := range failures {
		result := krm.At(f.item, f.path, krm.Error, message)
		if cause != nil && cause.Proposed != "" {
			result.Field.ProposedValue = cause.Proposed
		}
		r.list.Report(result)
	}
}

func isOnRecord(ref *reference) bool { return ref.last.Digest != "" }

// reportChoice reports the warnings about a choice, a version that moved, and with Explain how the choice was made.
func (r *resolver) reportChoice(ref *reference) {
	choice := ref.choice
	for _, warning := range choice.Warnings {
		r.add(ref, krm.Warning, "%s", warning)
	}
	if ref.pinned() && choice.Pin() != ref.text {
		r.add(ref, krm.Info, "%q moved from %s to %s", ref.requested, ref.text, choice.Pin())
	}
	if r.Explain {
		r.add(ref, krm.Info, "%q is %s: %s", ref.text, choice.Pin(), choice.How())
	}
	if by, frozen := r.frozen[ref.requested]; frozen && r.Mode == Update && choice.Floats {
		r.add(ref, krm.Info, "%q does not move while sandbox %q is being deleted with it", ref.requested, by)
	}
}

// reportFloating warns of references that resolve to another version as soon as one is published, since kustomize never
// writes a pin back into the source. Each is reported once, with the lock entry that fixes it.
func (r *resolver) reportFloating() {
	severity := krm.Warning
	if r.Strict {
		severity = krm.Error
	}
	for _, requested := range slices.Sorted(maps.Keys(r.resolved)) {
		floating := slices.DeleteFunc(slices.Clone(r.resolved[requested]), func(ref *reference) bool {
			return !ref.kustomize || !ref.choice.Floats || ref.pinned()
		})
		if len(floating) == 0 {
			continue
		}
		entry := floating[0].choice.entryFor(requested)
		if locked, ok := r.catalog.locks.byReference[requested]; ok && locked.LockEntry == entry {
			continue
		}
		first := slices.MinFunc(floating, func(a, b *reference) int {
			return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.path, b.path))
		})
		r.add(first, severity, "%q floats (sandbox %s): a new version would provision live resources again; "+
			"pin it, or add to spec.plugins of a PluginLock beside the sandboxes: %s",
			requested, sandboxNames(floating), lockLine(entry))
	}
}

// sandboxNames lists the sandboxes of references by name: all, or the first of many.
func sandboxNames(references []*reference) string {
	names := texts(references, func(ref *reference) string { return ref.name })
	slices.Sort(names)
	return strictyaml.FirstOf(quoted(slices.Compact(names)))
}
