package v1alpha1

import "encoding/json"

// StackSpec describes a stack.
type StackSpec struct {
	AppMetadata `json:",inline"`
	// CRDs are the CRDs that the stack owns.
	CRDs []TypeMeta `json:"customresourcedefinitions,omitempty"`
	// Controller runs the stack.
	Controller ControllerSpec `json:"controller,omitempty"`
	// Permissions are the permissions of the controller.
	Permissions PermissionsSpec `json:"permissions,omitempty"`
}

// StackDefinitionSpec describes a template stack.
type StackDefinitionSpec struct {
	StackSpec `json:",inline"`
	// Behavior describes how objects are made from custom resources.
	Behavior Behavior `json:"behavior,omitempty"`
}

// ExtensionSpec describes an extension. In the design, owned CRDs and those that it depends on are separate lists.
type ExtensionSpec struct {
	AppMetadata `json:",inline"`
	// CRDs are the CRDs that the extension owns, and those that it depends on.
	CRDs ExtensionCRDs `json:"customresourcedefinitions,omitempty"`
	// Controller runs the extension.
	Controller ControllerSpec `json:"controller,omitempty"`
	// Permissions are the permissions of the controller.
	Permissions PermissionsSpec `json:"permissions,omitempty"`
}

// ExtensionCRDs are the CRDs of an extension.
type ExtensionCRDs struct {
	// Owns are the CRDs that are in the package.
	Owns []TypeMeta `json:"owns,omitempty"`
	// DependsOn are CRDs of other packages.
	DependsOn []TypeMeta `json:"dependsOn,omitempty"`
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
	// Name is the Deployment's name; empty in a record that is unpacked from a package.
	Name string `json:"name"`
	// Spec is a DeploymentSpec of apps/v1, as the package has it.
	Spec json.RawMessage `json:"spec"`
}

// PermissionsSpec holds the permissions of a controller.
type PermissionsSpec struct {
	// Rules are rules of a Role or ClusterRole.
	Rules []PolicyRule `json:"rules,omitempty"`
}

// PolicyRule is a rule of a Role or ClusterRole, with the fields of PolicyRule of rbac.authorization.k8s.io/v1.
type PolicyRule struct {
	Verbs           []string `json:"verbs"`
	APIGroups       []string `json:"apiGroups,omitempty"`
	Resources       []string `json:"resources,omitempty"`
	ResourceNames   []string `json:"resourceNames,omitempty"`
	NonResourceURLs []string `json:"nonResourceURLs,omitempty"`
}

// TypeMeta names a kind.
type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}
