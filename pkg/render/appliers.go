package render

import "github.com/resource-plugins/krm-functions/internal/manifest"

// flux keeps Secrets and scripts from garbage collection, and what holds scripts and variables from post-build
// substitution, which would fill in `${NAME}` where the shell should (kustomizations.md of kustomize-controller 1.9).
func flux(object Object) []manifest.Field {
	var fields []manifest.Field
	if kept(object) {
		fields = append(fields, note("kustomize.toolkit.fluxcd.io/prune", "disabled"))
	}
	if object.Kind == "ConfigMap" || isWorkload(object) {
		fields = append(fields, note("kustomize.toolkit.fluxcd.io/substitute", "disabled"))
	}
	return fields
}

// kpt keeps Secrets and scripts when they are pruned or the package is destroyed (common.OnRemoveAnnotation of
// cli-utils). Of `depends-on` nothing would be gained: kpt takes a Job that has started for done.
func kpt(object Object) []manifest.Field {
	if !kept(object) {
		return nil
	}
	return []manifest.Field{note("cli-utils.sigs.k8s.io/on-remove", "keep")}
}
