package v1

import (
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ProviderMeta is the metadata of a provider package: kind Provider of group meta.pkg.crossplane.io.
type ProviderMeta struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              ProviderMetaSpec `json:"spec"`
}

// ConfigurationMeta is the metadata of a configuration package: kind Configuration of group meta.pkg.crossplane.io.
type ConfigurationMeta struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              MetaSpec `json:"spec"`
}

// FunctionMeta is the metadata of a function package: kind Function of group meta.pkg.crossplane.io.
type FunctionMeta struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              FunctionMetaSpec `json:"spec"`
}

// MetaSpec holds the metadata fields that all packages have.
type MetaSpec struct {
	// Crossplane says which versions of Crossplane the package is for.
	Crossplane *CrossplaneConstraints `json:"crossplane,omitempty"`
	// DependsOn are the packages that this one needs.
	DependsOn []Dependency `json:"dependsOn,omitempty"`
	// Capabilities are opaque strings.
	Capabilities []string `json:"capabilities,omitempty"`
}

// ProviderMetaSpec is the spec of a provider package's metadata.
type ProviderMetaSpec struct {
	MetaSpec `json:",inline"`
	// Controller runs the provider.
	Controller ControllerMeta `json:"controller,omitempty"`
}

// ControllerMeta describes the controller of a provider.
type ControllerMeta struct {
	// Image is the image of the controller; empty means the package's own.
	Image string `json:"image,omitempty"`
	// PermissionRequests are rules of a ClusterRole.
	PermissionRequests []rbacv1.PolicyRule `json:"permissionRequests,omitempty"`
}

// FunctionMetaSpec is the spec of a function package's metadata.
type FunctionMetaSpec struct {
	MetaSpec `json:",inline"`
	// Image is the image of the function; empty means the package's own.
	Image string `json:"image,omitempty"`
}

// CrossplaneConstraints say which versions of Crossplane a package is for.
type CrossplaneConstraints struct {
	// Version is a range, such as `>=v1.14.0`.
	Version string `json:"version" required:"true" unquoted:"true"`
}

// Dependency is a package that another one needs: APIVersion, Kind and Package, or one of Provider, Configuration and
// Function, which are the older form.
type Dependency struct {
	// APIVersion is that of the request for the package, such as pkg.crossplane.io/v1.
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind is that of the request for the package.
	Kind string `json:"kind,omitempty"`
	// Package is an OCI repository, without a tag.
	Package string `json:"package,omitempty"`
	// Provider is the OCI repository of a provider.
	Provider string `json:"provider,omitempty"`
	// Configuration is the OCI repository of a configuration.
	Configuration string `json:"configuration,omitempty"`
	// Function is the OCI repository of a function.
	Function string `json:"function,omitempty"`
	// Version is a range or a digest.
	Version string `json:"version" required:"true" unquoted:"true"`
}
