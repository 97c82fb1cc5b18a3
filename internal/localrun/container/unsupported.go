package container

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Unsupported returns the fields of a Pod template that are not honoured. A field is honoured if it is cleared here, so that
// fields of later versions of Kubernetes are named, too. What only a cluster needs, such as requests and ports, is not named.
func (e *Engine) Unsupported(template *corev1.PodTemplateSpec) []string {
	if template == nil {
		return nil
	}
	pod := template.Spec.DeepCopy()
	found := map[string]bool{}
	for i := range pod.Containers {
		switch one := &pod.Containers[i]; one.Name {
		case contract.MainContainer:
			unsupportedOfMain(one, found)
		case contract.OutputManager:
		default:
			found["spec.containers["+one.Name+"]"] = true
		}
	}
	for _, one := range pod.InitContainers {
		if one.Name != contract.InputManager {
			found["spec.initContainers["+one.Name+"]"] = true
		}
	}
	unsupportedVolumes(pod.Volumes, found)
	unsupportedSecurity(pod.SecurityContext, found)
	if pod.AutomountServiceAccountToken != nil && !*pod.AutomountServiceAccountToken {
		pod.ServiceAccountName, pod.DeprecatedServiceAccount = "", ""
	}
	pod.Containers, pod.InitContainers, pod.Volumes, pod.SecurityContext = nil, nil, nil, nil
	pod.AutomountServiceAccountToken, pod.EnableServiceLinks = nil, nil
	pod.RestartPolicy, pod.ActiveDeadlineSeconds, pod.TerminationGracePeriodSeconds = "", nil, nil
	pod.HostNetwork, pod.HostAliases, pod.DNSPolicy = false, nil, ""
	rest(found, "spec", reflect.ValueOf(*pod))
	return slices.Sorted(maps.Keys(found))
}

func unsupportedOfMain(one *corev1.Container, found map[string]bool) {
	const prefix = "spec.containers[" + contract.MainContainer + "]"
	if own := one.SecurityContext; own != nil {
		own.RunAsUser, own.RunAsGroup, own.RunAsNonRoot, own.Capabilities = nil, nil, nil, nil
		own.ReadOnlyRootFilesystem, own.AllowPrivilegeEscalation = nil, nil
		own.SeccompProfile = otherSeccomp(own.SeccompProfile)
		if own.Privileged != nil && !*own.Privileged {
			own.Privileged = nil
		}
		rest(found, prefix+".securityContext", reflect.ValueOf(*own))
	}
	for name, limit := range one.Resources.Limits {
		if name != corev1.ResourceMemory && name != corev1.ResourceCPU && !limit.IsZero() {
			found[prefix+".resources.limits."+string(name)] = true
		}
	}
	one.Name, one.Image, one.ImagePullPolicy, one.Command, one.Args, one.WorkingDir = "", "", "", nil, nil, ""
	one.Env, one.EnvFrom, one.VolumeMounts, one.Ports, one.SecurityContext = nil, nil, nil, nil, nil
	one.Resources.Limits, one.Resources.Requests = nil, nil
	one.TerminationMessagePath, one.TerminationMessagePolicy = "", ""
	rest(found, prefix, reflect.ValueOf(*one))
}

func unsupportedVolumes(volumes []corev1.Volume, found map[string]bool) {
	for _, volume := range volumes {
		source := volume.VolumeSource
		if source.EmptyDir != nil && strings.HasPrefix(string(source.EmptyDir.Medium), string(corev1.StorageMediumHugePages)) {
			found["spec.volumes["+volume.Name+"].emptyDir.medium"] = true
		}
		source.EmptyDir, source.ConfigMap, source.Secret = nil, nil, nil
		if volume.Name == contract.TokenVolume {
			source.Projected = nil
		}
		rest(found, "spec.volumes["+volume.Name+"]", reflect.ValueOf(source))
	}
}

func unsupportedSecurity(pod *corev1.PodSecurityContext, found map[string]bool) {
	if pod == nil {
		return
	}
	pod.RunAsUser, pod.RunAsGroup, pod.RunAsNonRoot, pod.SupplementalGroups, pod.FSGroup = nil, nil, nil, nil, nil
	pod.Sysctls, pod.FSGroupChangePolicy, pod.SeccompProfile = nil, nil, otherSeccomp(pod.SeccompProfile)
	rest(found, "spec.securityContext", reflect.ValueOf(*pod))
}

// otherSeccomp returns a profile that is not honoured: that of a file on a node.
func otherSeccomp(profile *corev1.SeccompProfile) *corev1.SeccompProfile {
	if profile != nil && profile.Type == corev1.SeccompProfileTypeLocalhost {
		return profile
	}
	return nil
}

// rest adds the paths of the fields that are set.
func rest(found map[string]bool, prefix string, value reflect.Value) {
	for i := range value.NumField() {
		field := value.Field(i)
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		set := !field.IsZero()
		if kind := field.Kind(); kind == reflect.Slice || kind == reflect.Map {
			set = field.Len() > 0
		}
		if set {
			found[prefix+"."+name] = true
		}
	}
}
