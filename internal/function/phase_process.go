package function

import (
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Process renders the resources of the list's sandboxes. The list's plugin documents are the catalog; references that
// were not resolved before are resolved the same way, so that a render needs no other function.
func (c *phaseConfig) Process(call cli.Call) (string, error) {
	items, err := call.List.Select(contract.APIVersion, contract.Sandbox)
	if err != nil {
		return "", err
	}
	MarkInputs(call.List)
	if !c.check(call) {
		return "rendered nothing: the config must be mended first", nil
	}
	p := newPlan(call, c)
	sandboxes := readSandboxes(call.List, items)
	sandboxes, ok := OneCluster(call, sandboxes, c.Cluster)
	if !ok {
		return "rendered nothing: the config must name a cluster", nil
	}
	for _, s := range sandboxes {
		p.add(s)
	}
	rendered := p.render(c.Prune || len(items) > 0)
	return rendered.summary(c.Workload, p.phases), nil
}
