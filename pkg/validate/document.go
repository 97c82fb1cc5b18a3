package validate

import (
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// pluginCheck is a plugin under check. What several rules look at is worked out once.
type pluginCheck struct {
	*document.Plugin
	check

	name  *identity
	graph *document.Graph
	base  *overlay.Overlay

	takers map[string][]taker
	keys   []string

	baseProblems []strictyaml.Problem
}

// steps returns the graph of the plugin's steps.
func (c *pluginCheck) steps() *document.Graph {
	if c.graph == nil {
		c.graph = document.NewGraph(&c.Spec)
	}
	return c.graph
}

// step returns the step at a place.
func (c *pluginCheck) step(at document.StepRef) *v1alpha1.Step {
	return &c.Spec.Workflow(at.Phase)[at.Index]
}

// sandboxCheck is a sandbox under check.
type sandboxCheck struct {
	*document.Sandbox
	check
}

// routeGroupCheck is a route group under check.
type routeGroupCheck struct {
	*document.RouteGroup
	check
}

// acrossCheck is all documents under check.
type acrossCheck struct {
	plugins   []*pluginCheck
	sandboxes []*sandboxCheck
	groups    []*routeGroupCheck
	catalogs  bool  // the list holds catalogs, which have a say in what references mean
	rule      *Rule // the rule that runs

	installed *installed
	provided  []provision
}

func newAcross(list *krm.ResourceList, items []*krm.Item) *acrossCheck {
	c := &acrossCheck{}
	c.catalogs = slices.ContainsFunc(list.Items(), func(item *krm.Item) bool {
		return item.Kind() == contract.Catalog && item.APIVersion() == contract.APIVersion
	})
	for _, item := range items {
		switch fresh := (check{item: item}); item.Kind() {
		case contract.ResourcePlugin:
			c.plugins = append(c.plugins, &pluginCheck{check: fresh})
		case contract.Sandbox:
			c.sandboxes = append(c.sandboxes, &sandboxCheck{check: fresh})
		default:
			c.groups = append(c.groups, &routeGroupCheck{check: fresh})
		}
	}
	return c
}

// checks returns the checks of all documents, by kind.
func (c *acrossCheck) checks() []*check {
	checks := make([]*check, 0, len(c.plugins)+len(c.sandboxes)+len(c.groups))
	for _, p := range c.plugins {
		checks = append(checks, &p.check)
	}
	for _, s := range c.sandboxes {
		checks = append(checks, &s.check)
	}
	for _, g := range c.groups {
		checks = append(checks, &g.check)
	}
	return checks
}

// report notes that the rule that runs is broken at path of a document.
func (c *acrossCheck) report(at *check, path krm.Path, format string, args ...any) {
	at.rule = c.rule
	at.report(path, format, args...)
}
