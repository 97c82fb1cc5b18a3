package sandbox

import "k8s.io/apimachinery/pkg/labels"

// redirectPlacement makes what places Pods relative to the baseline's own Pods look at the fork's own: a fork must neither
// avoid the nodes of its baseline nor count its Pods.
func (f *fork) redirectPlacement(spec object) {
	for _, constraint := range children(spec, "topologySpreadConstraints") {
		f.redirect(constraint)
	}
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		for _, term := range children(spec, "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution") {
			f.redirect(term)
		}
		for _, weighted := range children(spec, "affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution") {
			f.redirect(child(weighted, "podAffinityTerm"))
		}
	}
}

// redirect changes a term that selects the baseline's Pods; one about other namespaces selects other Pods.
func (f *fork) redirect(term object) {
	if term["namespaces"] != nil || term["namespaceSelector"] != nil {
		return
	}
	if s, ok := readSelector(term, "labelSelector"); ok && s.Matches(labels.Set(f.baseline.labels)) {
		term["labelSelector"] = f.selector()
	}
}
