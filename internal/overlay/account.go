package overlay

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// RuleAccount is the rule about ServiceAccounts shared by sandboxes.
const RuleAccount = "overlay-account"

// Account returns the ServiceAccount that the overlay names, or "". serviceAccountName takes precedence over
// serviceAccount, its former name.
func (o *Overlay) Account() string {
	return cmp.Or(o.Template.Spec.ServiceAccountName, o.Template.Spec.DeprecatedServiceAccount)
}

// HasToken reports whether a container of the overlay gets a token of the account for the API server: Kubernetes mounts
// one into each container unless automountServiceAccountToken is false
// (https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/), and a volume of the overlay
// may project one.
func (o *Overlay) HasToken() bool {
	spec := &o.Template.Spec
	if o.Account() == "" {
		return false
	}
	if mounts := spec.AutomountServiceAccountToken; mounts == nil || *mounts {
		return true
	}
	return o.ProjectsToken()
}

// ProjectsToken reports whether a volume of the overlay has a token of the Pod's account for the API server, whichever
// account that is.
func (o *Overlay) ProjectsToken() bool {
	for _, volume := range o.Template.Spec.Volumes {
		if volume.Name != contract.TokenVolume && volume.Projected != nil && projectsToken(volume.Projected) {
			return true
		}
	}
	return false
}

// projectsToken reports whether a volume has a token for the API server. The API server does not accept tokens for
// other audiences, such as a vault.
func projectsToken(volume *corev1.ProjectedVolumeSource) bool {
	for _, source := range volume.Sources {
		if token := source.ServiceAccountToken; token != nil &&
			(token.Audience == "" || strings.Contains(token.Audience, "kubernetes.default")) {
			return true
		}
	}
	return false
}
