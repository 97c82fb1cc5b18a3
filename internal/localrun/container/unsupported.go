package container

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/localrun"
)

// The path of main in a Pod template.
const mainPath = "spec.containers[" + contract.MainContainer + "]"

// Unsupported returns the fields of a Pod template that are not honoured. What only a cluster needs, such as requests and
// ports, is not named.
func (e *Engine) Unsupported(template *corev1.PodTemplateSpec) []string {
	found := localrun.Unsupported(template,
		"spec.securityContext", "spec.hostNetwork", "spec.hostAliases", "spec.enableServiceLinks",
		mainPath+".resources", mainPath+".securityContext", mainPath+".ports", mainPath+".imagePullPolicy",
		mainPath+".terminationMessagePolicy")
	own := main(template).DeepCopy()
	if security := own.SecurityContext; security != nil {
		security.RunAsUser, security.RunAsGroup, security.RunAsNonRoot, security.Capabilities = nil, nil, nil, nil
		security.ReadOnlyRootFilesystem, security.AllowPrivilegeEscalation = nil, nil
		security.SeccompProfile = otherSeccomp(security.SeccompProfile)
		if security.Privileged != nil && !*security.Privileged {
			security.Privileged = nil
		}
		found = append(found, fieldsOf(mainPath+".securityContext", *security)...)
	}
	for name, limit := range own.Resources.Limits {
		if name != corev1.ResourceMemory && name != corev1.ResourceCPU && !limit.IsZero() {
			found = append(found, mainPath+".resources.limits."+string(name))
		}
	}
	if pod := podOf(template).SecurityContext.DeepCopy(); pod != nil {
		pod.RunAsUser, pod.RunAsGroup, pod.RunAsNonRoot, pod.SupplementalGroups, pod.FSGroup = nil, nil, nil, nil, nil
		pod.Sysctls, pod.FSGroupChangePolicy, pod.SeccompProfile = nil, nil, otherSeccomp(pod.SeccompProfile)
		found = append(found, fieldsOf("spec.securityContext", *pod)...)
	}
	slices.Sort(found)
	return found
}

// otherSeccomp returns a profile that is not honoured: that of a file on a node.
func otherSeccomp(profile *corev1.SeccompProfile) *corev1.SeccompProfile {
	if profile != nil && profile.Type == corev1.SeccompProfileTypeLocalhost {
		return profile
	}
	return nil
}

// fieldsOf returns the paths of the fields of a typed value that are set.
func fieldsOf(prefix string, typed any) (found []string) {
	value := reflect.ValueOf(typed)
	for i := range value.NumField() {
		if !value.Field(i).IsZero() {
			name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
			found = append(found, prefix+"."+name)
		}
	}
	return found
}
