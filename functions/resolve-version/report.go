package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/catalog"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// most is how many sandboxes a message names.
const most = 10

// change is a document that differs from what sandboxes have on record of its version.
type change struct {
	document *krm.Item
	path     krm.Path
	message  string
}

// report reports why the reference at path was not resolved: at the document that is to be mended.
func (r *resolver) report(item *krm.Item, path krm.Path, err error) {
	var document *catalog.DocumentError
	if errors.As(err, &document) {
		r.list.Report(document.Result())
		return
	}
	result := krm.At(item, path, krm.Error, err.Error())
	var reference *catalog.ReferenceError
	if errors.As(err, &reference) && reference.Proposed != "" {
		result.Field.ProposedValue = reference.Proposed
	}
	r.list.Report(result)
}

// dropStale tells that what was requested counts no longer, since somebody edited the pin that it resolved to.
func (r *resolver) dropStale(item *krm.Item, path krm.Path, reference string, last catalog.Resolution) {
	if last.Requested == "" {
		return
	}
	r.list.Report(krm.At(item, path, krm.Info, fmt.Sprintf(
		"%q was edited after %q had been resolved to %q: the edit counts, the old request is dropped",
		reference, last.Requested, last.Pin)))
}

// tell reports the warnings about a choice, and how it came about where that was asked for.
func (r *resolver) tell(item *krm.Item, path krm.Path, reference string, choice *catalog.Choice) {
	for _, warning := range choice.Warnings {
		r.list.Report(krm.At(item, path, krm.Warning, warning))
	}
	if r.explain {
		r.list.Report(krm.At(item, path, krm.Info,
			fmt.Sprintf("%q is %s: %s -> highest", reference, choice.Name, choice.Trail)))
	}
}

// noteChange notes that a sandbox has another digest on record: one error a document names all that do.
func (r *resolver) noteChange(item *krm.Item, err error) {
	var document *catalog.DocumentError
	if errors.As(err, &document) {
		key := change{document.Item, document.Path, document.Message}
		r.changed[key] = append(r.changed[key], item.Name())
	}
}

func (r *resolver) reportChanged() {
	for found, sandboxes := range r.changed {
		r.list.Report(krm.At(found.document, found.path, krm.Error,
			fmt.Sprintf("%s (on record in sandbox %s)", found.message, enumerate(sandboxes))))
	}
}

// enumerate lists sandboxes by name, the first of them where there are many.
func enumerate(sandboxes []string) string {
	slices.Sort(sandboxes)
	names := slices.Compact(sandboxes)
	rest := ""
	if len(names) > most {
		rest = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ") + rest
}
