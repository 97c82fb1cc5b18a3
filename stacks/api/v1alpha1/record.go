package v1alpha1

import (
	"encoding/json"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StackSpec is what a stack consists of.
type StackSpec struct {
	AppMetadata `json:",inline"`
	// CRDs are the CRDs that the stack owns.
	CRDs []metav1.TypeMeta `json:"customresourcedefinitions,omitempty"`
	// Controller runs the stack.
	Controller ControllerSpec `json:"controller,omitempty"`
	// Permissions are what the controller may do.
	Permissions PermissionsSpec `json:"permissions,omitempty"`
}

// StackDefinitionSpec is what a template stack consists of.
type StackDefinitionSpec struct {
	StackSpec `json:",inline"`
	// Behavior says how objects are made from custom resources.
	Behavior Behavior `json:"behavior,omitempty"`
}

// ExtensionSpec is what an extension consists of. The design's CRDs are lists of what it owns and depends on.
type ExtensionSpec struct {
	AppMetadata `json:",inline"`
	// CRDs are the CRDs that the extension owns, and those that it depends on.
	CRDs ExtensionCRDs `json:"customresourcedefinitions,omitempty"`
	// Controller runs the extension.
	Controller ControllerSpec `json:"controller,omitempty"`
	// Permissions are what the controller may do.
	Permissions PermissionsSpec `json:"permissions,omitempty"`
}

// ExtensionCRDs are the CRDs of an extension.
type ExtensionCRDs struct {
	// Owns are the CRDs that are in the package.
	Owns []metav1.TypeMeta `json:"owns,omitempty"`
	// DependsOn are CRDs of other packages.
	DependsOn []metav1.TypeMeta `json:"dependsOn,omitempty"`
}

// ControllerSpec says how the controller runs.
type ControllerSpec struct {
	// ServiceAccount changes the ServiceAccount of the controller.
	ServiceAccount *ServiceAccountOptions `json:"serviceAccount,omitempty"`
	// Deployment is the controller's Deployment.
	Deployment *ControllerDeployment `json:"deployment,omitempty"`
}

// ControllerDeployment is the Deployment of a controller.
type ControllerDeployment struct {
	// Name is the Deployment's name; empty in what is unpacked from a package.
	Name string `json:"name"`
	// Spec is a DeploymentSpec of apps/v1, as the package has it.
	Spec json.RawMessage `json:"spec"`
}

// PermissionsSpec is what a controller may do.
type PermissionsSpec struct {
	// Rules are rules of a Role or ClusterRole.
	Rules []rbacv1.PolicyRule `json:"rules,omitempty"`
}
