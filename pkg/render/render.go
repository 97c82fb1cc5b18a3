// Package render turns the resources of sandboxes into plain Kubernetes objects. Each step of their plugins' create or
// delete phase becomes a Job or Pod, with the objects it needs. Phases does this for a ResourceList, and is all that
// most programs call:
//
//	list, err := krm.Parse(input)
//	summary, err := render.Phases(list, render.DefaultOptions())
//	_, err = list.WriteTo(output)
//
// The list's ResourcePlugins are the catalog, and the objects are appended to it. Objects that an earlier run with the
// same Options.Name has rendered are replaced or removed.
//
// A step without step inputs and outputs is plain: its Pod has nothing of ours but a volume with the script. Where data
// flows, helpers wait for the inputs, run the script and publish its outputs to a Secret. Where steps have left
// outputs, the delete phase ends with a cleanup job that removes them, and a copy job copies the outputs that workloads
// of other namespaces use to these namespaces.
//
// A plugin's phase is compiled once: its steps are merged onto the podTemplateOverlay. For each resource of a sandbox only
// names, variables and metadata are filled in.
//
// Reconciler puts other rendered objects, such as forks and routes of package render/sandbox, into a list in the same way.
package render

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// MarkInputs keeps documents of our own kinds from being applied, by the annotation config.kubernetes.io/local-config.
func MarkInputs(list *krm.ResourceList) {
	for _, item := range list.Items() {
		if item.APIVersion() == contract.APIVersion {
			markInput(item)
		}
	}
}

func markInput(item *krm.Item) {
	if local, _ := item.Annotation(contract.LocalConfigKey); local != "true" {
		item.Annotate(contract.LocalConfigKey, "true")
	}
}
