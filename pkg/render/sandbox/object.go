package sandbox

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// add adds an object; o is whose routes it holds, nil where it is everyone's.
func (r *rendering) add(apiVersion, kind, namespace, name string, o *owner, spec manifest.Map) manifest.Map {
	labels := manifest.Map{text(contract.ManagedByKey, contract.ManagedBy)}
	annotations := manifest.Map{text(contract.RenderedByKey, r.RenderedBy)}
	object := RouteObject{Kind: kind, Namespace: namespace, Name: name}
	if o != nil {
		labels = append(labels, text(o.label(), contract.LabelValue(o.name)))
		annotations = append(annotations, text(o.label(), o.name), text(contract.RoutingKeyKey, o.key))
		if o.kind == contract.RouteGroup {
			object.Group = o.name
		} else {
			object.Sandbox = o.name
		}
	}
	object.Tree = manifest.NewMap(
		text("apiVersion", apiVersion),
		text("kind", kind),
		manifest.KV("metadata", manifest.NewMap(
			manifest.KV("annotations", manifest.NewMap(annotations...)),
			manifest.KV("labels", manifest.NewMap(labels...)),
			text("name", name),
			text("namespace", namespace),
		)),
		manifest.KV("spec", spec),
	)
	r.out.Objects = append(r.out.Objects, object)
	return object.Tree
}

func text(key, value string) manifest.Field { return manifest.KV(key, manifest.String(value)) }

func routeNumber(key string, value int) manifest.Field { return manifest.KV(key, manifest.Int(value)) }
