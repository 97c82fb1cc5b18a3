package build

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	stackresolve "github.com/resource-plugins/krm-functions/stacks/dependency"
)

// Validated counts the checked documents.
type Validated struct{ validate.Report }

// Validate checks the plugins, sandboxes, route groups, catalogs and locks of a list, compares them with an older state,
// which may be nil, and adds the findings to the list. It changes no items.
func Validate(list *krm.ResourceList, options validate.Options, base *validate.Base) (Validated, error) {
	checked, err := validate.Check(list, options)
	if err != nil {
		return Validated{}, err
	}
	list.Report(checked.Results...)
	list.Report(resolve.LintPublished(list.Items())...)
	list.Report(slices.DeleteFunc(stackresolve.Lint(list.Items()), isNotAboutCatalog)...)
	if base != nil {
		found, err := validate.CheckUpdate(list, *base, options)
		if err != nil {
			return Validated{}, err
		}
		list.Report(found...)
	}
	return Validated{checked}, nil
}

// isNotAboutCatalog reports whether a result is about the document of a package, which has its own rules, or about a lock,
// whose packages may be imported later.
func isNotAboutCatalog(result krm.Result) bool {
	return result.ResourceRef == nil || result.ResourceRef.Kind != contract.Catalog
}

// String summarizes the checked documents. Kinds other than plugins and sandboxes are only included if there are any.
func (v Validated) String() string {
	var counts []string
	for i, count := range v.Counts {
		if i < 2 || count.N > 0 {
			counts = append(counts, cli.Count(count.N, count.Noun))
		}
	}
	last := len(counts) - 1
	return "checked " + strings.Join(counts[:last], ", ") + " and " + counts[last]
}
