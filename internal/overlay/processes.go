package overlay

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// sharedProcesses returns the field by which containers see the processes of the helpers, or "".
func (c *checker) sharedProcesses() string {
	spec := &c.overlay.Template.Spec
	switch {
	case spec.HostPID:
		return "hostPID"
	case spec.ShareProcessNamespace != nil && *spec.ShareProcessNamespace:
		return "shareProcessNamespace"
	}
	return ""
}

// user reports a user that owns the processes of the helpers.
func (c *checker) user(at krm.Path, user *int64) {
	if shared := c.sharedProcesses(); shared != "" && user != nil && *user == contract.HelperUserID {
		c.report(at, "must not be %d with %s: the helpers run as that user", *user, shared)
	}
}

// privileges reports settings that let a container read the token of the helpers in /proc. The helpers cannot prevent
// that: see "Ptrace access mode checking" in ptrace(2).
func (c *checker) privileges(at krm.Path, context *corev1.SecurityContext) {
	shared := c.sharedProcesses()
	if shared == "" {
		return
	}
	if context.Privileged != nil && *context.Privileged {
		c.report(at.Key("privileged"), "must not be true with %s: the container could read the token of the helpers", shared)
	}
	if context.Capabilities == nil {
		return
	}
	for i, capability := range context.Capabilities.Add {
		switch strings.TrimPrefix(strings.ToUpper(string(capability)), "CAP_") {
		case "ALL", "SYS_ADMIN", "SYS_PTRACE":
			c.report(at.Key("capabilities").Key("add").Index(i),
				"must not be %q with %s: the container could read the token of the helpers", capability, shared)
		}
	}
}
