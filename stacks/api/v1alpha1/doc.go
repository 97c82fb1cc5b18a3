// Package v1alpha1 holds the documents of Crossplane Stacks as Go types: install requests, the records of what is
// installed, and the files of a package's `.registry` folder.
//
// An ExtensionRequest (the design) or a StackInstall or ClusterStackInstall (crossplane v0.3 to v0.10) asks for a package,
// by its name or by a CRD that it owns. An Extension, Stack or StackDefinition records what a package consists of: its
// metadata, its CRDs, its controller and the permissions that the controller needs.
//
//   - https://github.com/crossplane/crossplane/blob/v0.10.0/design/design-doc-stacks.md
//   - https://github.com/crossplane/crossplane/tree/v0.10.0/apis/stacks/v1alpha1
//
// The tags are those of package github.com/resource-plugins/krm-functions/api/v1alpha1.
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The API groups of the documents.
const (
	GroupName            = "stacks.crossplane.io"
	ExtensionsGroup      = "extensions.crossplane.io" // the design's name of the group
	Version              = "v1alpha1"
	APIVersion           = GroupName + "/" + Version
	ExtensionsAPIVersion = ExtensionsGroup + "/" + Version
)

// The kinds of the documents.
const (
	KindExtensionRequest    = "ExtensionRequest"
	KindExtension           = "Extension"
	KindStackInstall        = "StackInstall"
	KindClusterStackInstall = "ClusterStackInstall"
	KindStack               = "Stack"
	KindStackDefinition     = "StackDefinition"
)

// ExtensionRequest asks for an extension, as the design has it.
type ExtensionRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              InstallSpec `json:"spec"`
}

// StackInstall asks for a stack whose permissions end at its namespace.
type StackInstall struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              InstallSpec `json:"spec"`
}

// ClusterStackInstall asks for a stack with permissions in the whole cluster.
type ClusterStackInstall struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              InstallSpec `json:"spec"`
}

// Extension records an installed extension, as the design has it.
type Extension struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              ExtensionSpec `json:"spec"`
}

// Stack records an installed stack.
type Stack struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              StackSpec `json:"spec"`
}

// StackDefinition records an installed template stack, which has a behavior in place of a controller of its own.
type StackDefinition struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              StackDefinitionSpec `json:"spec"`
}
