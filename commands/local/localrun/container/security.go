package container

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// settings are the supported fields of the security contexts. Those of main take precedence over those of the Pod.
type settings struct {
	runAsUser, runAsGroup *int64
	runAsNonRoot          *bool
	groups                []int64
	seccomp               *corev1.SeccompProfile
	sysctls               []corev1.Sysctl
	add, drop             []corev1.Capability
	readOnlyRoot          bool
	noNewPrivileges       bool
}

func settingsOf(template *corev1.PodTemplateSpec) settings {
	var s settings
	if template == nil {
		return s
	}
	if pod := template.Spec.SecurityContext; pod != nil {
		s.runAsUser, s.runAsGroup, s.runAsNonRoot = pod.RunAsUser, pod.RunAsGroup, pod.RunAsNonRoot
		s.groups, s.seccomp, s.sysctls = pod.SupplementalGroups, pod.SeccompProfile, pod.Sysctls
		if pod.FSGroup != nil {
			s.groups = append(s.groups[:len(s.groups):len(s.groups)], *pod.FSGroup)
		}
	}
	own := main(template).SecurityContext
	if own == nil {
		return s
	}
	s.runAsUser = first(own.RunAsUser, s.runAsUser)
	s.runAsGroup = first(own.RunAsGroup, s.runAsGroup)
	s.runAsNonRoot = first(own.RunAsNonRoot, s.runAsNonRoot)
	s.seccomp = first(own.SeccompProfile, s.seccomp)
	if own.Capabilities != nil {
		s.add, s.drop = own.Capabilities.Add, own.Capabilities.Drop
	}
	s.readOnlyRoot = own.ReadOnlyRootFilesystem != nil && *own.ReadOnlyRootFilesystem
	s.noNewPrivileges = own.AllowPrivilegeEscalation != nil && !*own.AllowPrivilegeEscalation
	return s
}

func first[T any](values ...*T) *T {
	for _, value := range values {
		if value != nil {
			return value
		}
	}
	return nil
}

// defaultCapabilities returns the capabilities of containers in clusters with containerd or CRI-O, and with docker:
// https://github.com/containerd/containerd/blob/main/pkg/oci/spec.go. podman grants fewer.
func defaultCapabilities() []corev1.Capability {
	return []corev1.Capability{
		"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW", "SETFCAP",
		"SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
	}
}

// arguments returns the flags of `create` for the security contexts. Without a seccomp profile a cluster uses none; here the
// program's default is used, since a plugin under development is not trusted yet.
func (s settings) arguments(podman bool) []string {
	// SELinux would deny the container access to mounted files of the user.
	flags := []string{"--security-opt", "label=disable"}
	if s.noNewPrivileges {
		flags = append(flags, "--security-opt", "no-new-privileges")
	}
	if s.seccomp != nil && s.seccomp.Type == corev1.SeccompProfileTypeUnconfined {
		flags = append(flags, "--security-opt", "seccomp=unconfined")
	}
	if s.readOnlyRoot {
		flags = append(flags, "--read-only")
		if podman {
			flags = append(flags, "--read-only-tmpfs=false") // podman would make /tmp writable
		}
	}
	for _, group := range s.groups {
		flags = append(flags, "--group-add", strconv.FormatInt(group, 10))
	}
	for _, sysctl := range s.sysctls {
		flags = append(flags, "--sysctl", sysctl.Name+"="+sysctl.Value)
	}
	return append(flags, s.capabilities()...)
}

// capabilities drops all capabilities and adds the remaining ones, so that they are the same with both programs.
func (s settings) capabilities() []string {
	flags := []string{"--cap-drop", "ALL"}
	given := map[corev1.Capability]bool{}
	add := func(capability corev1.Capability) {
		if !given[capability] {
			flags = append(flags, "--cap-add", string(capability))
		}
		given[capability] = true
	}
	dropped := map[corev1.Capability]bool{}
	for _, capability := range s.drop {
		dropped[capability] = true
	}
	for _, capability := range defaultCapabilities() {
		if !dropped[capability] && !dropped["ALL"] {
			add(capability)
		}
	}
	for _, capability := range s.add {
		add(capability)
	}
	return flags
}
