package validateplugin

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/stackresolve"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Checked counts what was checked.
type Checked struct{ validate.Report }

// Check checks the plugins, sandboxes, route groups, catalogs and locks of a list, compares them with an older state if
// there is one, and reports what it finds to the list. It edits no item.
func Check(list *krm.ResourceList, options validate.Options, base *validate.Base) (Checked, error) {
	checked, err := validate.Check(list, options)
	if err != nil {
		return Checked{}, err
	}
	list.Report(checked.Results...)
	list.Report(resolve.LintPublished(list.Items())...)
	list.Report(slices.DeleteFunc(stackresolve.Lint(list.Items()), isNotAboutCatalog)...)
	if base != nil {
		found, err := validate.CheckUpdate(list, *base, options)
		if err != nil {
			return Checked{}, err
		}
		list.Report(found...)
	}
	return Checked{checked}, nil
}

// isNotAboutCatalog reports whether a result is about a package's own document, which rules check, or about a lock, whose
// packages may be imported later.
func isNotAboutCatalog(one krm.Result) bool {
	return one.ResourceRef == nil || one.ResourceRef.Kind != contract.Catalog
}

// String says how many documents of each kind were checked; all but plugins and sandboxes are rare.
func (v Checked) String() string {
	counts := []string{report.Count(v.Plugins, "plugin"), report.Count(v.Sandboxes, "sandbox")}
	for _, rare := range []struct {
		n    int
		noun string
	}{{v.RouteGroups, "route group"}, {v.Requests, "package request"}, {v.Packages, "package"},
		{v.ExternalPlugins, "external plugin"}} {
		if rare.n > 0 {
			counts = append(counts, report.Count(rare.n, rare.noun))
		}
	}
	last := len(counts) - 1
	return "checked " + strings.Join(counts[:last], ", ") + " and " + counts[last]
}
