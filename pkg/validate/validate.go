// Package validate checks ResourcePlugin, Sandbox, RouteGroup, OutputSecret and PluginTest documents against the rules of
// their specifications.
//
// Check reads the documents of a ResourceList and returns a result for each violation of a rule, with the field, the
// severity, the required change, and a fix if only one is possible. It does not change the list:
//
//	report, err := validate.Check(list, validate.Options{Strict: true})
//
// CheckUpdate compares the documents with an older state, such as a Git revision: published versions, and documents that
// sandboxes use, must not change. Rules returns all rules with their descriptions for reference pages.
//
// A Rule has an id, a severity, descriptions, and checks: functions over one document, over a whole list, or over two states
// of a list. The rules of a field are in the file named after the document's kind and the field. An Extension adds rules
// about these documents, or about others.
package validate

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Report is the result of Check.
type Report struct {
	// Counts are the numbers of checked documents except tests: plugins, sandboxes, other documents of this package, and
	// those that extensions count, in their order.
	Counts []Count
	// Results are the findings, sorted and without duplicates. The tag `rule` of a result is the rule's id.
	Results krm.Results

	documents *documents
}

// Count is a number of documents.
type Count struct {
	N int
	// Noun is the name of one document, such as "sandbox".
	Noun string
}

// Check checks the plugins, sandboxes, route groups, output Secrets and tests of a list, including those that are
// local-config, and the documents of the extensions. It does not change the list. The error is krm.OptionErrors if options
// cannot be used, or that of a document that cannot be parsed.
func Check(list *krm.ResourceList, options Options) (Report, error) {
	if wrong := options.Validate(); len(wrong) > 0 {
		return Report{}, wrong
	}
	items, err := list.Select(contract.APIVersion, contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup,
		contract.OutputSecret, contract.PluginTest)
	if err != nil {
		return Report{}, err
	}
	d := newDocuments(list, items)
	krm.Each(len(d.plugins), func(i int) { d.plugins[i].check() })
	krm.Each(len(d.sandboxes), func(i int) { d.sandboxes[i].check() })
	krm.Each(len(d.routeGroups), func(i int) { d.routeGroups[i].check() })
	krm.Each(len(d.secrets), func(i int) { d.secrets[i].check() })
	krm.Each(len(d.tests), func(i int) { d.tests[i].check() })
	d.check()
	report := Report{
		Counts: []Count{
			{len(d.plugins), "plugin"}, {len(d.sandboxes), "sandbox"}, {len(d.routeGroups), "route group"},
		},
		Results:   unknownDocuments(list, options),
		documents: d,
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

// Sandboxes checks the sandboxes of another list against the plugins that were checked: those of a part of very many
// documents. No sandbox of one list may have the name of one in another. It may be called by several goroutines at once.
func (r Report) Sandboxes(list *krm.ResourceList, options Options) (results krm.Results, err error) {
	items, err := list.Select(contract.APIVersion, contract.Sandbox)
	if err != nil {
		return nil, err
	}
	d := newDocuments(krm.NewList(), items)
	d.plugins, d.hasCatalogs = r.documents.plugins, r.documents.hasCatalogs
	krm.Each(len(d.sandboxes), func(i int) { d.sandboxes[i].check() })
	checksOf(func(r *Rule, check listCheck) {
		if check.on == contract.Sandbox {
			check.run(r, d)
		}
	})
	for _, s := range d.sandboxes {
		results = append(results, unknownDocument(s.item, options.kinds()).results(options)...)
		results = append(results, s.results(options)...)
	}
	return results.Sort(), nil
}
