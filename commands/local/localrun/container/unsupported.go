package container

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// podSecurity and mainSecurity are the security contexts of a Pod and of main.
const (
	podSecurity  = "spec.securityContext"
	mainSecurity = localrun.MainPath + ".securityContext"
)

// supported are the fields that these engines support, and those that only matter in a cluster, such as requests and ports:
// see localrun.Unsupported. A seccomp profile of the type Localhost is a file of a node, so it is not supported.
var supported = slices.Concat([]string{
	"spec.hostNetwork", "spec.hostAliases", "spec.enableServiceLinks",
	localrun.MainPath + ".ports", localrun.MainPath + ".imagePullPolicy", localrun.MainPath + ".terminationMessagePolicy",
	localrun.MainPath + ".resources.limits.cpu", localrun.MainPath + ".resources.limits.memory",
	localrun.MainPath + ".resources.requests",
}, below(podSecurity, "runAsUser", "runAsGroup", "runAsNonRoot", "seccompProfile.type=RuntimeDefault",
	"seccompProfile.type=Unconfined", "supplementalGroups", "fsGroup", "fsGroupChangePolicy", "sysctls",
), below(mainSecurity, "runAsUser", "runAsGroup", "runAsNonRoot", "seccompProfile.type=RuntimeDefault",
	"seccompProfile.type=Unconfined", "capabilities", "readOnlyRootFilesystem", "allowPrivilegeEscalation", "privileged=false",
))

// below returns the paths of fields.
func below(path string, fields ...string) []string {
	for i, field := range fields {
		fields[i] = path + "." + field
	}
	return fields
}

// Unsupported returns the fields of a Pod template that are not supported.
func (*Engine) Unsupported(template *corev1.PodTemplateSpec) []string {
	return localrun.Unsupported(template, supported)
}
