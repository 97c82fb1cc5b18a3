// Package validate checks ResourcePlugin, Sandbox, RouteGroup and PluginTest documents against the rules of their
// specifications.
//
// Check takes a ResourceList, reads its documents, and returns a result for each break of a rule, with the field, the
// severity, what to do, and the fix if only one is possible. It changes nothing:
//
//	report, err := validate.Check(list, validate.Options{Strict: true})
//
// CheckUpdate compares the documents with an older state, such as a Git revision: what is published, and what sandboxes
// use, must not change. Rules returns all rules, with what reference pages say about them.
//
// A Rule is an id, a severity, texts for people, and its checks: functions over one document, over a whole list, or over
// two states of a list. The rules of a field are in the file that is named after the document's kind and the field. An
// Extension adds rules about these documents, or about others.
package validate

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Report is the outcome of Check.
type Report struct {
	// Counts are the numbers of documents that were checked, but for tests: plugins, sandboxes, the others of this package,
	// and what the extensions count, in their order.
	Counts []Count
	// Results are the findings, sorted, each once. The tag `rule` of a result is the rule's id.
	Results krm.Results
}

// Count is a number of documents.
type Count struct {
	N int
	// Noun is what one of them is called, such as "sandbox".
	Noun string
}

// Check checks the plugins, sandboxes, route groups and tests of a list, including those that are local-config, and what the
// extensions read. It does not change the list. The error is krm.OptionErrors if options cannot be used, or that of a document
// that cannot be parsed.
func Check(list *krm.ResourceList, options Options) (Report, error) {
	if wrong := options.Validate(); len(wrong) > 0 {
		return Report{}, wrong
	}
	items, err := list.Select(contract.APIVersion, contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup,
		contract.PluginTest)
	if err != nil {
		return Report{}, err
	}
	d := newDocuments(list, items)
	krm.Each(len(d.plugins), func(i int) { d.plugins[i].check() })
	krm.Each(len(d.sandboxes), func(i int) { d.sandboxes[i].check() })
	krm.Each(len(d.routeGroups), func(i int) { d.routeGroups[i].check() })
	krm.Each(len(d.tests), func(i int) { d.tests[i].check() })
	d.check()
	report := Report{
		Counts: []Count{
			{len(d.plugins), "plugin"}, {len(d.sandboxes), "sandbox"}, {len(d.routeGroups), "route group"},
		},
		Results: unknownDocuments(list, options),
	}
	all := d.all()
	for _, e := range options.Extensions {
		if e.Check == nil {
			continue
		}
		checked, err := e.Check(list)
		if err != nil {
			return Report{}, err
		}
		all = append(all, checked.Documents...)
		report.Counts = append(report.Counts, checked.Counts...)
	}
	for _, one := range all {
		report.Results = append(report.Results, one.results(options)...)
	}
	report.Results = report.Results.Sort()
	return report, nil
}
