package render

import (
	"bytes"
	"strconv"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// Tool brings rendered objects to a cluster.
//
// Objects have the same name, spec and generation under every tool: a tool only adds annotations, so that a team that
// changes tools runs nothing twice. What must outlive a removal is kept under every tool that removes what it no longer
// finds: the Secrets that steps publish to, since delete steps read them, and the scripts, since other renders name the
// same ConfigMap.
//
// No tool is asked to wait for a step: one that failed would stop all sandboxes of a delivery, and a workload that cannot
// start before an output is published would keep the step from being applied. The steps wait for each other by
// themselves.
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

// HasHooks reports whether the tool can hold a delete phase back until what it delivered is removed. Only then both phases
// can be in one render.
func (t Tool) HasHooks() bool { return t == ArgoCD || t == Helm }

// Recreates reports whether the tool creates again what the cluster has removed. A finished workload must not be removed
// then: one that publishes nothing would run again.
func (t Tool) Recreates() bool { return t == ArgoCD || t == Flux || t == Kpt }

// Hook is when a delete phase runs that was held back.
type Hook string

// The hooks, before and after everything else of the delivery is removed.
const (
	PreDelete  Hook = "PreDelete"
	PostDelete Hook = "PostDelete"
)

// Delivery is how rendered objects get to a cluster. The zero value is that of kubectl.
type Delivery struct {
	Tool Tool
	// Hook is when the delete phase runs, if both phases are rendered; it defaults to PostDelete.
	Hook Hook

	// holds is set if the delete phase is in the render but not due: it becomes hooks of a tool that has them.
	holds bool
}

// prepare sets the annotations of the objects of one resource, or of those that resources share, for the tool.
func (d Delivery) prepare(objects []object) {
	for i := range objects {
		o := &objects[i]
		o.isTemplate = d.Tool == Helm
		switch d.Tool {
		case ArgoCD:
			o.added = d.argocd(o)
		case Flux:
			o.added = flux(o)
		case Helm:
			o.added = d.helm(o, i)
		case Kpt:
			o.added = kpt(o)
		case Kubectl: // needs none
		}
	}
}

// isKept reports whether an object outlives the removal of the rest. It is never a hook, which the tool would remove.
func isKept(o *object) bool { return o.kind == "Secret" || o.isShared }

func isWorkload(o *object) bool {
	return o.kind == string(Job) || o.kind == string(Pod)
}

// isHeld reports whether an object waits for the removal of the delivery.
func (d Delivery) isHeld(o *object) bool {
	return d.holds && o.phase == v1alpha1.PhaseDelete && !isKept(o)
}

// argocd puts what workloads need into a wave before them: accounts, roles and ConfigMaps count as healthy at once, so
// the next wave never waits. All workloads are in wave 0, where a user's own objects are by default: Argo CD starts a
// wave when the one before is healthy, and a Job is healthy when it is complete
// (https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/).
//
// Hooks of a deletion are created at once and in any order; waves mean nothing there.
func (d Delivery) argocd(o *object) map[string]string {
	const sync, wave = "argocd.argoproj.io/sync-options", "argocd.argoproj.io/sync-wave"
	switch {
	case d.isHeld(o):
		hook := d.Hook
		if hook == "" {
			hook = PostDelete
		}
		return map[string]string{
			"argocd.argoproj.io/hook":               string(hook),
			"argocd.argoproj.io/hook-delete-policy": "HookSucceeded",
		}
	case isKept(o):
		return map[string]string{sync: "Prune=false,Delete=false", wave: "-1"}
	case isWorkload(o):
		return nil
	default:
		return map[string]string{wave: "-1"}
	}
}

// flux keeps Secrets and scripts from garbage collection, and what holds scripts and variables from post-build
// substitution, which would fill in `${NAME}` where the shell should
// (https://fluxcd.io/flux/components/kustomize/kustomizations/).
func flux(o *object) map[string]string {
	annotations := map[string]string{}
	if isKept(o) {
		annotations["kustomize.toolkit.fluxcd.io/prune"] = "disabled"
	}
	if o.kind == "ConfigMap" || isWorkload(o) {
		annotations["kustomize.toolkit.fluxcd.io/substitute"] = "disabled"
	}
	return annotations
}

// kpt keeps Secrets and scripts when they are pruned or the package is destroyed (common.OnRemoveAnnotation of
// cli-utils). `depends-on` would gain nothing: kpt takes a Job that has started for done.
func kpt(o *object) map[string]string {
	if !isKept(o) {
		return nil
	}
	return map[string]string{"cli-utils.sigs.k8s.io/on-remove": "keep"}
}

// helm keeps Secrets and scripts, and makes hooks of a delete phase that is held back. Helm runs hooks one after the
// other by weight and waits for each workload (https://helm.sh/docs/topics/charts_hooks/), so the weights follow the order
// of the objects: what a workload needs, and the producers it waits for, come before it. A failed hook's objects stay
// until the next try.
func (d Delivery) helm(o *object, index int) map[string]string {
	switch {
	case d.isHeld(o):
		hook := "post-delete"
		if d.Hook == PreDelete {
			hook = "pre-delete"
		}
		return map[string]string{
			"helm.sh/hook":               hook,
			"helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
			"helm.sh/hook-weight":        strconv.Itoa(index),
		}
	case isKept(o):
		return map[string]string{"helm.sh/resource-policy": "keep"}
	}
	return nil
}

// opening starts an action of Go's templates; escaped is an action that prints it. It has no quotes in it, so that it can
// stand in any style of YAML.
var opening, escaped = []byte("{{"), []byte("{{`{{`}}")

// escapeTemplate returns a printed object as a template that Helm prints as the given one.
func escapeTemplate(text []byte) []byte {
	if !bytes.Contains(text, opening) {
		return text
	}
	return bytes.ReplaceAll(text, opening, escaped)
}
