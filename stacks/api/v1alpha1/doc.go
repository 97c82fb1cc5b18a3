// Package v1alpha1 holds the documents of Crossplane Stacks as Go types. They are install requests, the records of
// installed packages, and the files of a package's `.registry` folder.
//
// An ExtensionRequest (the design) or a StackInstall or ClusterStackInstall (crossplane v0.3 to v0.10) asks for a package,
// by its name or by a CRD that it owns. An Extension, Stack or StackDefinition records the parts of a package: its
// metadata, its CRDs, its controller and the permissions that the controller needs.
//
//   - https://github.com/crossplane/crossplane/blob/v0.10.0/design/design-doc-stacks.md
//   - https://github.com/crossplane/crossplane/tree/v0.10.0/apis/stacks/v1alpha1
//
// The types are those of the specs; metadata is that of Kubernetes. The tags are those of package
// github.com/resource-plugins/krm-functions/api/v1alpha1. This package imports nothing from Kubernetes, since the unpacker
// links it.
package v1alpha1

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
