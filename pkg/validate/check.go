package validate

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/cores"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Report is what a check found.
type Report struct {
	// Plugins, Sandboxes and RouteGroups are how many documents of each kind were checked.
	Plugins, Sandboxes, RouteGroups int
	// Results are the findings, sorted, each once.
	Results krm.Results
}

// Check checks the plugins, sandboxes and route groups of a list, whatever their local-config says, and leaves the list
// as it is. An error means that a document could not be parsed. The outcome does not depend on the number of cores.
func Check(list *krm.ResourceList, levels Levels) (Report, error) {
	items, err := list.Select(contract.APIVersion, contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup)
	if err != nil {
		return Report{}, err
	}
	across := newAcross(list, items)
	cores.Each(len(across.plugins), func(i int) { across.plugins[i].run() })
	cores.Each(len(across.sandboxes), func(i int) { across.sandboxes[i].run() })
	cores.Each(len(across.groups), func(i int) { across.groups[i].run() })
	across.run()
	report := Report{
		Plugins: len(across.plugins), Sandboxes: len(across.sandboxes), RouteGroups: len(across.groups),
		Results: misfits(list, levels),
	}
	for _, c := range across.checks() {
		report.Results = append(report.Results, c.results(levels)...)
	}
	report.Results = report.Results.Sort()
	return report, nil
}

func (c *pluginCheck) run() {
	p, problems := document.ReadPlugin(c.item)
	c.Plugin, c.check = p, newCheck(c.item, problems)
	for _, c.rule = range Rules {
		if c.rule.plugin != nil {
			c.rule.plugin(c)
		}
	}
}

func (c *sandboxCheck) run() {
	s, problems := document.ReadSandbox(c.item)
	c.Sandbox, c.check = s, newCheck(c.item, problems)
	for _, c.rule = range Rules {
		if c.rule.sandbox != nil {
			c.rule.sandbox(c)
		}
	}
}

func (c *routeGroupCheck) run() {
	g, problems := document.ReadRouteGroup(c.item)
	c.RouteGroup, c.check = g, newCheck(c.item, problems)
	for _, c.rule = range Rules {
		if c.rule.routeGroup != nil {
			c.rule.routeGroup(c)
		}
	}
}

func (c *acrossCheck) run() {
	for _, c.rule = range Rules {
		for _, run := range []func(*acrossCheck){c.rule.plugins, c.rule.sandboxes, c.rule.routeGroups} {
			if run != nil {
				run(c)
			}
		}
	}
}
