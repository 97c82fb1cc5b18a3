package cli

import (
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// ReportNothing warns that file mode has nothing to print, and why: `kubectl apply -f -` only reports that no objects
// were passed to it. Reason explains why the sandboxes, at least one, render to nothing.
func (c Call) ReportNothing(cluster string, objects []*krm.Item, reason func([]*document.Sandbox) string) {
	if !c.FileMode || len(objects) > 0 || c.List.Results().Failed() {
		return
	}
	var all []*document.Sandbox
	for _, item := range c.List.Of(contract.APIVersion, contract.Sandbox) {
		sandbox, _ := document.ReadSandbox(item)
		all = append(all, sandbox)
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(s *document.Sandbox) bool {
		return cluster != "" && s.Cluster() != cluster
	})
	message := "no Sandbox in the input"
	switch {
	case len(chosen) > 0:
		message = reason(chosen)
	case len(all) > 0:
		return // the function has reported that none is of the cluster
	}
	c.List.Report(krm.NewResult(krm.Warning, message+": nothing is rendered"))
}
