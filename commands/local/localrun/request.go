package localrun

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Request selects the objects to run.
type Request struct {
	// Plugin is a reference to a plugin as in sandboxes: hello-db, hello-db@1.2.0 or hello-db@^1.
	Plugin string
	// Sandbox is the name of a sandbox among the documents, whose resources of the plugin are run. Empty means a sandbox
	// LocalSandbox with a single resource, named after the plugin.
	Sandbox string
	// Params are the params of the resource; they replace those of a sandbox among the documents.
	Params map[string]string
	// Phase is the phase to render; empty means create.
	Phase v1alpha1.Phase
}

// LocalSandbox is the name and the cluster of the sandbox if the Request has no name.
const LocalSandbox = "local"

// Render renders the objects of a request from documents, only for its sandbox and phase. Secrets and ConfigMaps among the
// documents are added, since scripts can read them. Errors in documents are a report.FindingsError; warnings are results of
// the list.
func Render(list *krm.ResourceList, request Request, chain build.Chain) ([]*krm.Item, error) {
	reference, err := document.ParsePluginReference(request.Plugin)
	if err != nil {
		return nil, fmt.Errorf("plugin %w", err)
	}
	sandbox, err := request.sandbox(list, reference)
	if err != nil {
		return nil, err
	}
	own, others := krm.NewList(), []*krm.Item(nil)
	known := map[string]bool{}
	for _, item := range list.Items() {
		switch {
		case item.APIVersion() == "v1" && (item.Kind() == "Secret" || item.Kind() == "ConfigMap"):
			others = append(others, item)
		case item.APIVersion() != contract.APIVersion:
		case item.Kind() == contract.Catalog, item.Kind() == contract.PluginLock:
			own.Append(item)
		case item.Kind() == contract.ResourcePlugin:
			bare := bareName(item.Name())
			if known[bare] = true; bare == reference.Bare {
				own.Append(item)
			}
		}
	}
	if !known[reference.Bare] {
		return nil, fmt.Errorf("plugin %q must be among the documents, which have %s", reference.Bare, names(known))
	}
	own.Append(sandbox)
	if request.Phase == "" {
		request.Phase = v1alpha1.PhaseCreate
	}
	chain.Render.Phases, chain.Render.Cluster = []string{string(request.Phase)}, ""
	result, err := chain.Run(own)
	if err != nil {
		return nil, err
	}
	if err := report.Refused(own.Results()); err != nil {
		return nil, err
	}
	list.Report(own.Results()...)
	return slices.Concat(result.Objects, others), nil
}

// bareName returns the name of a plugin without the version.
func bareName(name string) string {
	bare, _, _ := strings.Cut(name, "@")
	return bare
}

// names formats names for a message.
func names(known map[string]bool) string {
	if len(known) == 0 {
		return "no plugin"
	}
	const most = 10
	sorted := slices.Sorted(maps.Keys(known))
	text := strings.Join(sorted[:min(most, len(sorted))], ", ")
	if len(sorted) > most {
		text += fmt.Sprintf(" and %d more", len(sorted)-most)
	}
	return text
}

// sandbox returns the document of the sandbox to render, which has only the resources of the plugin.
func (r *Request) sandbox(list *krm.ResourceList, reference document.PluginReference) (*krm.Item, error) {
	spec := v1alpha1.SandboxSpec{Cluster: LocalSandbox}
	metadata := map[string]any{"name": LocalSandbox}
	if r.Sandbox == "" {
		spec.Resources = []v1alpha1.SandboxResource{{Name: reference.Bare, Plugin: r.Plugin, Params: r.Params}}
		return sandboxItem(metadata, spec)
	}
	found, err := r.find(list)
	if err != nil {
		return nil, err
	}
	metadata["name"] = found.Name
	annotations := map[string]string{}
	for _, key := range []string{contract.SandboxIDKey, contract.RoutingKeyKey, contract.RequestedKey, contract.DigestsKey} {
		if value, set := found.Item.Annotation(key); set {
			annotations[key] = value
		}
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	spec.Cluster = found.Spec.Cluster
	for _, resource := range found.Spec.Resources {
		if bareName(resource.Plugin) != reference.Bare {
			continue
		}
		if reference.Selector != "" {
			resource.Plugin = r.Plugin
		}
		params := maps.Clone(resource.Params)
		if params == nil {
			params = map[string]string{}
		}
		maps.Copy(params, r.Params)
		resource.Params = params
		spec.Resources = append(spec.Resources, resource)
	}
	if len(spec.Resources) == 0 {
		return nil, fmt.Errorf("sandbox %q must have a resource of plugin %q", found.Name, reference.Bare)
	}
	return sandboxItem(metadata, spec)
}

// find returns the sandbox of the request.
func (r *Request) find(list *krm.ResourceList) (*document.Sandbox, error) {
	var found []*document.Sandbox
	known := map[string]bool{}
	for _, item := range list.Of(contract.APIVersion, contract.Sandbox) {
		sandbox, _ := document.ReadSandbox(item) // the chain validates the fields that are used
		known[sandbox.Name] = true
		if sandbox.LowerName() == strings.ToLower(r.Sandbox) {
			found = append(found, sandbox)
		}
	}
	switch len(found) {
	case 0:
		text := names(known)
		if len(known) == 0 {
			text = "no sandbox"
		}
		return nil, fmt.Errorf("sandbox %q must be among the documents, which have %s", r.Sandbox, text)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("sandbox %q must be among the documents once, not %d times", r.Sandbox, len(found))
}

// sandboxItem creates a document with only the fields that a run needs.
func sandboxItem(metadata map[string]any, spec v1alpha1.SandboxSpec) (*krm.Item, error) {
	resources := make([]map[string]any, len(spec.Resources))
	for i, resource := range spec.Resources {
		resources[i] = map[string]any{"name": resource.Name, "plugin": resource.Plugin}
		if len(resource.Params) > 0 {
			resources[i]["params"] = resource.Params
		}
	}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": contract.APIVersion, "kind": contract.Sandbox, "metadata": metadata,
		"spec": map[string]any{"cluster": spec.Cluster, "resources": resources},
	})
	if err != nil {
		return nil, err
	}
	return krm.NewItem(text)
}
