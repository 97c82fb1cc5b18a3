// Package validate checks ResourcePlugin, Sandbox, RouteGroup, PluginTest and ExternalPlugin documents, and the requests and
// metadata of Crossplane packages, against the rules of their specifications.
//
// Check takes a ResourceList, reads its documents, and returns a result for each break of a rule, with the field, the
// severity, what to do, and the fix if only one is possible. It changes nothing:
//
//	report, err := validate.Check(list, validate.Options{Strict: true})
//
// CheckUpdate compares the documents with an older state, such as a Git revision: what is published, and what sandboxes
// use, must not change. Rules are all rules, with what reference pages say about them.
//
// A Rule is an id, a severity, texts for people, and its checks: functions over one document, over a whole list, or over
// two states of a list. The rules of a field are in the file that is named after the document's kind and the field.
package validate

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Report is the outcome of Check.
type Report struct {
	// Plugins, Sandboxes and RouteGroups are the numbers of documents that were checked.
	Plugins, Sandboxes, RouteGroups int
	// Tests is the number of PluginTests that were checked.
	Tests int
	// ExternalPlugins is the number of ExternalPlugins that were checked.
	ExternalPlugins int
	// Requests and Packages are the numbers of requests for Crossplane packages, and of records and metadata of packages.
	Requests, Packages int
	// Results are the findings, sorted, each once. The tag `rule` of a result is the rule's id.
	Results krm.Results
}

// Check checks the plugins, sandboxes, route groups, tests, requests and packages of a list, including those that are
// local-config, and does not change the list. The error is krm.OptionErrors if options cannot be used, or that of a document
// that cannot be parsed.
func Check(list *krm.ResourceList, options Options) (Report, error) {
	if wrong := options.Validate(); len(wrong) > 0 {
		return Report{}, wrong
	}
	items, err := list.Select(contract.APIVersion, contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup,
		contract.PluginTest, contract.ExternalPlugin)
	if err != nil {
		return Report{}, err
	}
	d := newDocuments(list, items)
	if d.stacks, err = newStackDocuments(list); err != nil {
		return Report{}, err
	}
	krm.Each(len(d.plugins), func(i int) { d.plugins[i].check() })
	krm.Each(len(d.sandboxes), func(i int) { d.sandboxes[i].check() })
	krm.Each(len(d.routeGroups), func(i int) { d.routeGroups[i].check() })
	krm.Each(len(d.tests), func(i int) { d.tests[i].check() })
	krm.Each(len(d.externalPlugins), func(i int) { d.externalPlugins[i].check() })
	d.stacks.check()
	d.check()
	report := Report{
		Plugins: len(d.plugins), Sandboxes: len(d.sandboxes), RouteGroups: len(d.routeGroups),
		Tests: len(d.tests), ExternalPlugins: len(d.externalPlugins),
		Requests: len(d.stacks.stackRequests) + len(d.stacks.packageRequests),
		Packages: len(d.stacks.records) + len(d.stacks.metadata),
		Results:  unknownDocuments(list, options),
	}
	for _, one := range d.all() {
		report.Results = append(report.Results, one.results(options)...)
	}
	report.Results = report.Results.Sort()
	return report, nil
}
