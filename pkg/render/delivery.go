package render

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// The tools that bring rendered objects to a cluster, as v1alpha1.RenderPhase.Delivery names them.
//
// Objects have the same name, spec and generation under every tool: a tool only adds annotations, so that a team that
// changes tools runs nothing twice. Some objects must outlive a removal. They are kept under every tool that removes
// objects it no longer finds: the Secrets that steps publish to, since delete steps read them, and the scripts, since
// other renders name the same ConfigMap.
//
// No tool is asked to wait for a step: one that failed would stop all sandboxes of a delivery, and a workload that cannot
// start before an output is published would keep the step from being applied. The steps wait for each other by
// themselves.
const (
	kubectl = "kubectl"
	argoCD  = "argocd"
	flux    = "flux"
	helm    = "helm"
	kpt     = "kpt"
)

// Tools are all tools.
var Tools = []string{kubectl, argoCD, flux, helm, kpt}

// hasHooks reports whether the tool can hold a delete phase back until the delivered objects are removed. Only then can
// both phases be in one render.
func hasHooks(tool string) bool { return tool == argoCD || tool == helm }

// recreates reports whether the tool creates objects again that the cluster has removed. In that case a finished
// workload must not be removed: one that publishes nothing would run again.
func recreates(tool string) bool { return tool == argoCD || tool == flux || tool == kpt }

// The values of v1alpha1.RenderPhase.DeleteHook: a delete phase that was held back runs before or after everything else of
// the delivery is removed. The default is postDelete.
const (
	preDelete  = "PreDelete"
	postDelete = "PostDelete"
)

// delivery describes how rendered objects get to a cluster.
type delivery struct {
	tool, hook string
	// isTemplate is set if Helm executes the objects as templates.
	isTemplate bool
	// holds is set if the delete phase is in the render but not due: it becomes hooks of a tool that has them.
	holds bool
}

// prepare sets the annotations of the objects of one resource, or of those that resources share, for the tool.
func (d delivery) prepare(objects []object) {
	for i := range objects {
		objects[i].isTemplate, objects[i].added = d.isTemplate, d.annotations(&objects[i], i)
	}
}

// annotations returns those of one object, the index-th of a resource.
func (d delivery) annotations(o *object, index int) map[string]string {
	switch d.tool {
	case argoCD:
		return d.forArgoCD(o)
	case flux:
		return forFlux(o)
	case helm:
		return d.forHelm(o, index)
	case kpt:
		return forKpt(o)
	}
	return nil
}

// Delivered returns the annotations with which the tool of the options brings an object of a kind to a cluster. A held
// object waits until the delivered objects are removed; the index orders held objects.
func (o *Options) Delivered(kind string, isHeld bool, index int) map[string]string {
	d := delivery{tool: o.Delivery, hook: o.DeleteHook, holds: isHeld}
	return d.annotations(&object{kind: kind, phase: v1alpha1.PhaseDelete}, index)
}

// isKept reports whether an object outlives the removal of the rest. It is never a hook, which the tool would remove.
func isKept(o *object) bool { return o.kind == secretKind || o.isShared }

func isWorkload(o *object) bool {
	return slices.Contains(workloadKinds, o.kind)
}

// isHeld reports whether an object waits for the removal of the delivery.
func (d delivery) isHeld(o *object) bool {
	return d.holds && o.phase == v1alpha1.PhaseDelete && !isKept(o)
}

// forArgoCD puts the dependencies of workloads into a wave before them: accounts, roles and ConfigMaps count as healthy
// at once, so the next wave never waits. All workloads are in wave 0, where a user's own objects are by default: Argo
// CD starts a wave when the one before is healthy, and a Job is healthy when it is complete
// (https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/).
//
// Hooks of a deletion are created at once and in any order; waves mean nothing there.
func (d delivery) forArgoCD(o *object) map[string]string {
	const sync, wave = "argocd.argoproj.io/sync-options", "argocd.argoproj.io/sync-wave"
	const compare = "argocd.argoproj.io/compare-options"
	switch {
	case d.isHeld(o):
		return map[string]string{
			"argocd.argoproj.io/hook":               cmp.Or(d.hook, postDelete),
			"argocd.argoproj.io/hook-delete-policy": "HookSucceeded",
		}
	case isKept(o):
		// An object that is kept after a change or a removal does not make the Application OutOfSync
		// (https://argo-cd.readthedocs.io/en/stable/user-guide/compare-options/).
		return map[string]string{sync: "Prune=false,Delete=false", compare: "IgnoreExtraneous", wave: "-1"}
	case isWorkload(o):
		return nil
	default:
		return map[string]string{wave: "-1"}
	}
}

// forFlux keeps Secrets and scripts from garbage collection, and objects with scripts or variables from post-build
// substitution, which would fill in `${NAME}` where the shell should
// (https://fluxcd.io/flux/components/kustomize/kustomizations/).
func forFlux(o *object) map[string]string {
	annotations := map[string]string{}
	if isKept(o) {
		annotations["kustomize.toolkit.fluxcd.io/prune"] = "disabled"
	}
	if o.kind == "ConfigMap" || isWorkload(o) {
		annotations["kustomize.toolkit.fluxcd.io/substitute"] = "disabled"
	}
	return annotations
}

// forKpt keeps Secrets and scripts when they are pruned or the package is destroyed (common.OnRemoveAnnotation of
// cli-utils). `depends-on` would gain nothing: kpt takes a Job that has started for done.
func forKpt(o *object) map[string]string {
	if !isKept(o) {
		return nil
	}
	return map[string]string{"cli-utils.sigs.k8s.io/on-remove": "keep"}
}

// forHelm keeps Secrets and scripts, and makes hooks of a delete phase that is held back. Helm runs hooks one after the
// other by weight and waits for each workload (https://helm.sh/docs/topics/charts_hooks/), so the weights follow the
// order of the objects: the dependencies of a workload, and the producers it waits for, come before it. A failed hook's
// objects stay until the next try.
func (d delivery) forHelm(o *object, index int) map[string]string {
	switch {
	case d.isHeld(o):
		hook := "post-delete"
		if d.hook == preDelete {
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
