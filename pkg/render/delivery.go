// Package delivery adds to rendered objects what the tool needs that brings them to a cluster. It writes annotations of
// the objects and touches nothing else, so that an object has the same name, spec and generation under every tool, and a
// team that changes tools runs nothing twice. For Helm it also escapes what Helm would take for a template.
//
// What the tools have in common is one question: what must outlive a removal? The Secrets that steps publish to, since
// delete steps read them, and the scripts, since other renders name the same ConfigMap. Both are kept under every tool
// that removes what it no longer finds.
//
// No tool is asked to wait for a step. An order of Jobs by the tool would stop all sandboxes of a delivery for one that
// failed, and a workload that cannot start before an output is published would keep the step from ever being applied.
// The steps wait for each other by themselves: see package contract.
package render

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// Tool brings rendered objects to a cluster.
type Tool string

// The tools.
const (
	Kubectl Tool = "kubectl"
	ArgoCD  Tool = "argocd"
	Flux    Tool = "flux"
	Helm    Tool = "helm"
	Kpt     Tool = "kpt"
)

// Tools are all tools.
var Tools = [...]Tool{Kubectl, ArgoCD, Flux, Helm, Kpt}

// HasHooks tells whether the tool can hold a delete phase back until what it delivered is removed. Only then both phases
// can be in one render.
func (t Tool) HasHooks() bool { return t == ArgoCD || t == Helm }

// Recreates tells whether the tool creates again what the cluster has cleared away. A finished workload must not be
// cleared away then: one that publishes nothing would run again.
func (t Tool) Recreates() bool { return t == ArgoCD || t == Flux || t == Kpt }

// Hook is when a delete phase runs that was held back.
type Hook string

// The hooks, before and after everything else of the delivery is removed.
const (
	PreDelete  Hook = "PreDelete"
	PostDelete Hook = "PostDelete"
)

// Delivery is how rendered objects get to a cluster. The zero value leaves them as they are.
type Delivery struct {
	Tool Tool
	// Holds tells that the delete phase is in the render but not due: it becomes hooks of a tool that has them.
	Holds bool
	// Hook defaults to PostDelete.
	Hook Hook
}

// Annotate returns the objects of one resource, or of what resources share, as the tool needs them, in their order. The
// given objects are left alone.
func (d Delivery) Annotate(objects []Object) []Object {
	if d.Tool == Kubectl || d.Tool == "" {
		return objects
	}
	annotated := make([]Object, len(objects))
	for i, object := range objects {
		if d.Tool == Helm {
			object.Tree = escape(object.Tree).(manifest.Map)
		}
		object.Tree = deliveryAnnotate(object.Tree, d.annotations(object, i))
		annotated[i] = object
	}
	return annotated
}

// annotations returns what the object at that place needs.
func (d Delivery) annotations(object Object, place int) []manifest.Field {
	switch d.Tool {
	case Kubectl: // needs none
	case ArgoCD:
		return d.argocd(object)
	case Flux:
		return flux(object)
	case Helm:
		return d.helm(object, place)
	case Kpt:
		return kpt(object)
	}
	return nil
}

// kept tells whether an object outlives the removal of the rest. It is never a hook, which the tool would remove.
func kept(object Object) bool { return object.Kind == "Secret" || object.Shared }

func isWorkload(object Object) bool {
	return object.Kind == string(Job) || object.Kind == string(Pod)
}

// held tells whether an object waits for the removal of the delivery.
func (d Delivery) held(object Object) bool {
	return d.Holds && object.Phase == string(v1alpha1.PhaseDelete) && !kept(object)
}

func deliveryAnnotate(tree manifest.Map, annotations []manifest.Field) manifest.Map {
	if len(annotations) == 0 {
		return tree
	}
	metadata := tree.Map("metadata")
	all := append(append(manifest.Map(nil), metadata.Map("annotations")...), annotations...)
	return tree.With("metadata", metadata.With("annotations", manifest.NewMap(all...)))
}

func note(key, value string) manifest.Field { return manifest.KV(key, manifest.String(value)) }
