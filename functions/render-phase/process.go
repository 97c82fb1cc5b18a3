package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/krm/process"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
)

// Process renders the resources of the list's sandboxes. The list's plugin documents are the catalog; references that
// were not resolved before are resolved the same way, so that a render needs no other function.
func (c *config) Process(call process.Call) (string, error) {
	items, err := call.List.Select(contract.APIVersion, contract.Sandbox)
	if err != nil {
		return "", err
	}
	markInputs(call.List)
	if !c.check(call) {
		return "rendered nothing: the config must be mended first", nil
	}
	p := newPlan(call, c.options(call.ConfigName), plugin.Phase(c.Phases[0]))
	sandboxes := readSandboxes(call.List, items)
	sandboxes, ok := oneCluster(call, sandboxes, c.Cluster)
	if !ok {
		return "rendered nothing: the config must name a cluster", nil
	}
	for _, s := range sandboxes {
		p.add(s)
	}
	rendered := p.render(c.Prune || len(items) > 0)
	return rendered.summary(c.Workload, c.Phases[0]), nil
}

// markInputs keeps documents of our own kinds out of what is applied.
func markInputs(list *krm.ResourceList) {
	for _, item := range list.Items() {
		if item.APIVersion() != contract.APIVersion {
			continue
		}
		if local, _ := item.Annotation(contract.LocalConfigKey); local != "true" {
			item.Annotate(contract.LocalConfigKey, "true")
		}
	}
}

// oneCluster returns the sandboxes of the cluster that the config names, or of the only one there is. A sandbox's
// Kubernetes objects must not end up in another cluster.
func oneCluster(call process.Call, sandboxes []*subject, cluster string) ([]*subject, bool) {
	if cluster != "" {
		chosen := slices.DeleteFunc(slices.Clone(sandboxes), func(s *subject) bool { return s.Spec.Cluster != cluster })
		if len(chosen) == 0 && len(sandboxes) > 0 {
			call.List.Report(krm.Result{
				Severity: krm.Warning, Message: fmt.Sprintf("no sandbox is of cluster %q: nothing is rendered", cluster),
			})
		}
		return chosen, true
	}
	var clusters []string
	for _, s := range sandboxes {
		if !slices.Contains(clusters, s.Spec.Cluster) {
			clusters = append(clusters, s.Spec.Cluster)
		}
	}
	if len(clusters) < 2 {
		return sandboxes, true
	}
	slices.Sort(clusters)
	call.Misconfigured("cluster", "must be set, since there are sandboxes of several clusters: one of "+
		strings.Join(clusters, ", "))
	return nil, false
}
