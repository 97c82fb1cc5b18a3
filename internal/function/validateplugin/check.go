package validateplugin

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Checked counts the checked documents.
type Checked struct{ validate.Report }

// Check checks the plugins, sandboxes, route groups, catalogs and locks of a list and the documents of extensions,
// compares them with an older state if there is one, and reports its findings to the list. It edits no item. The
// options have the rules of the extensions.
func Check(
	list *krm.ResourceList, options validate.Options, base *validate.Base, extensions ...extension.Extension,
) (Checked, error) {
	checked, err := validate.Check(list, options)
	if err != nil {
		return Checked{}, err
	}
	list.Report(checked.Results...)
	list.Report(resolve.LintPublished(list.Items())...)
	for _, one := range extension.Resolvers(extensions) {
		list.Report(slices.DeleteFunc(one.Lint(list.Items()), isNotAboutCatalog)...)
	}
	if base != nil {
		found, err := validate.CheckUpdate(list, *base, options)
		if err != nil {
			return Checked{}, err
		}
		list.Report(found...)
	}
	return Checked{checked}, nil
}

// isNotAboutCatalog reports whether a result is about a document of an extension, which rules check, or about a lock:
// its versions may be imported later.
func isNotAboutCatalog(one krm.Result) bool {
	return one.ResourceRef == nil || one.ResourceRef.Kind != contract.Catalog
}

// withSandboxes adds sandboxes that were checked apart, or by an earlier call.
func (v Checked) withSandboxes(n int) Checked {
	v.Counts[1].N += n // that of sandboxes
	return v
}

// String says how many documents were checked; all but plugins and sandboxes are rare.
func (v Checked) String() string {
	var counts []string
	for i, count := range v.Counts {
		if i < 2 || count.N > 0 {
			counts = append(counts, report.Count(count.N, count.Noun))
		}
	}
	last := len(counts) - 1
	return "checked " + strings.Join(counts[:last], ", ") + " and " + counts[last]
}
