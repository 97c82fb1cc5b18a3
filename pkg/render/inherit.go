package render

import (
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// withoutRequests returns the labels and annotations of an overlay without those of domains that ask an admission
// webhook to change the Pod, such as `vault.hashicorp.com/agent-inject: "true"`: the additions of the webhook expect
// the ServiceAccount of the steps, and a helper job has another. Keys that keep a webhook from acting, such as
// `sidecar.istio.io/inject: "false"`, stay.
func withoutRequests(of *metav1.ObjectMeta) metav1.ObjectMeta {
	asking := map[string]bool{}
	for _, values := range []map[string]string{of.Labels, of.Annotations} {
		for key, value := range values {
			if domain, name, found := strings.Cut(key, "/"); found && isRequest(name, value) {
				asking[domain] = true
			}
		}
	}
	kept := func(values map[string]string) map[string]string {
		values = maps.Clone(values)
		maps.DeleteFunc(values, func(key, _ string) bool {
			domain, _, _ := strings.Cut(key, "/")
			return asking[domain]
		})
		return values
	}
	return metav1.ObjectMeta{Annotations: kept(of.Annotations), Labels: kept(of.Labels), Namespace: of.Namespace}
}

// isRequest reports whether a key of that name switches something on.
func isRequest(name, value string) bool {
	switch value {
	case "true", "enabled":
		return true
	case "false", "disabled":
		return false
	default:
		return strings.Contains(name, "inject")
	}
}
