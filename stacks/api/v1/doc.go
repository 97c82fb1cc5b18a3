// Package v1 holds the documents of today's Crossplane packages as Go types. They are requests for packages, the metadata
// in a package, and the cluster's Lock.
//
//   - https://docs.crossplane.io/latest/packages/
//   - https://github.com/crossplane/crossplane/blob/v2.3.0/contributing/specifications/xpkg.md
//
// The tags are those of package github.com/resource-plugins/krm-functions/api/v1alpha1.
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The API groups of the documents.
const (
	GroupName      = "pkg.crossplane.io"
	APIVersion     = GroupName + "/v1"
	LockAPIVersion = GroupName + "/v1beta1"
	MetaGroupName  = "meta.pkg.crossplane.io"
	MetaAPIVersion = MetaGroupName + "/v1"
)

// The kinds of the documents, both of requests and of metadata.
const (
	KindProvider      = "Provider"
	KindConfiguration = "Configuration"
	KindFunction      = "Function"
	KindLock          = "Lock"
)

// Provider asks for a provider.
type Provider struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              RuntimePackageSpec `json:"spec"`
}

// Function asks for a composition function.
type Function struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              RuntimePackageSpec `json:"spec"`
}

// Configuration asks for a configuration.
type Configuration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              PackageSpec `json:"spec"`
}

// PackageSpec asks for a package.
type PackageSpec struct {
	// Package is an OCI reference with a tag, a version range or a digest.
	Package string `json:"package" required:"true"`
	// RevisionActivationPolicy is Automatic or Manual.
	RevisionActivationPolicy string `json:"revisionActivationPolicy,omitempty"`
	// RevisionHistoryLimit is how many inactive revisions stay; the cluster's default is 1.
	RevisionHistoryLimit *int64 `json:"revisionHistoryLimit,omitempty"`
	// PackagePullSecrets are Secrets in Crossplane's namespace for pulling the package.
	PackagePullSecrets []LocalObjectReference `json:"packagePullSecrets,omitempty"`
	// PackagePullPolicy is Always, IfNotPresent or Never.
	PackagePullPolicy string `json:"packagePullPolicy,omitempty"`
	// IgnoreCrossplaneConstraints installs the package regardless of the versions of Crossplane that it is for.
	IgnoreCrossplaneConstraints *bool `json:"ignoreCrossplaneConstraints,omitempty"`
	// SkipDependencyResolution leaves dependencies to the user or tool that applies the request.
	SkipDependencyResolution *bool `json:"skipDependencyResolution,omitempty"`
	// CommonLabels are added to the objects that the package installs.
	CommonLabels map[string]string `json:"commonLabels,omitempty"`
	// CommonAnnotations are added to the objects that the package installs.
	CommonAnnotations map[string]string `json:"commonAnnotations,omitempty"`
}

// RuntimePackageSpec asks for a package that runs a program.
type RuntimePackageSpec struct {
	PackageSpec `json:",inline"`
	// RuntimeConfigRef names a DeploymentRuntimeConfig.
	RuntimeConfigRef *RuntimeConfigReference `json:"runtimeConfigRef,omitempty"`
}

// RuntimeConfigReference names the configuration of a package's program.
type RuntimeConfigReference struct {
	// APIVersion is pkg.crossplane.io/v1beta1 by default.
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind is DeploymentRuntimeConfig by default.
	Kind string `json:"kind,omitempty"`
	// Name is the object's name.
	Name string `json:"name" required:"true"`
}

// LocalObjectReference names an object of a namespace that both sides know.
type LocalObjectReference struct {
	// Name is the object's name.
	Name string `json:"name" required:"true"`
}
