package v1alpha1

import "encoding/json"

// AppMetadata is the file app.yaml, which describes a package and its dependencies.
type AppMetadata struct {
	// Title is the human-readable name.
	Title string `json:"title,omitempty"`
	// OverviewShort describes the purpose of the package in one sentence.
	OverviewShort string `json:"overviewShort,omitempty"`
	// Overview describes the purpose of the package in plain text.
	Overview string `json:"overview,omitempty"`
	// Readme is a page in Markdown.
	Readme string `json:"readme,omitempty"`
	// Version is the version of the package; empty means the tag of its image.
	Version string `json:"version,omitempty" unquoted:"true"`
	// Icons are pictures of the package.
	Icons []Icon `json:"icons,omitempty"`
	// Maintainers are the people and teams that maintain the package.
	Maintainers []Contributor `json:"maintainers,omitempty"`
	// Owners are the people and teams that own the package.
	Owners []Contributor `json:"owners,omitempty"`
	// Company is the name of a company.
	Company string `json:"company,omitempty"`
	// Category is for sorting packages in a catalog.
	Category string `json:"category,omitempty"`
	// Keywords are for searching packages in a catalog.
	Keywords []string `json:"keywords,omitempty"`
	// Website is a URL.
	Website string `json:"website,omitempty"`
	// Source is the URL of the source code.
	Source string `json:"source,omitempty"`
	// License is an SPDX identifier: https://spdx.org/licenses/
	License string `json:"license,omitempty"`
	// DependsOn are CRDs, or packages, that must be installed; the controller gets permissions for the CRDs.
	DependsOn []InstallSpec `json:"dependsOn,omitempty"`
	// PackageType is Provider, Stack, Application or Addon.
	PackageType string `json:"packageType,omitempty"`
	// PermissionScope is Cluster or Namespaced: whether the package is for a ClusterStackInstall or a StackInstall.
	PermissionScope string `json:"permissionScope,omitempty"`
}

// The scopes of a package.
const (
	ScopeCluster    = "Cluster"
	ScopeNamespaced = "Namespaced"
)

// Icon is a picture.
type Icon struct {
	// Base64Data is the picture in base64.
	Base64Data string `json:"base64Data"`
	// MediaType is its type, such as image/svg+xml.
	MediaType string `json:"mediatype"`
}

// Contributor is a person or a team.
type Contributor struct {
	// Name is the name.
	Name string `json:"name,omitempty"`
	// Email is the address.
	Email string `json:"email,omitempty"`
}

// Group is the file group.yaml: an API group for people.
type Group struct {
	Title         string `json:"title"`
	OverviewShort string `json:"overviewShort,omitempty"`
	Overview      string `json:"overview,omitempty"`
	Readme        string `json:"readme,omitempty"`
	Category      string `json:"category"`
}

// Resource is a file that ends in resource.yaml: a CRD for people.
type Resource struct {
	// ID is the kind of the CRD, in any case.
	ID            string `json:"id"`
	Title         string `json:"title"`
	TitlePlural   string `json:"titlePlural"`
	OverviewShort string `json:"overviewShort,omitempty"`
	Overview      string `json:"overview,omitempty"`
	Readme        string `json:"readme,omitempty"`
	Category      string `json:"category"`
}

// Behavior is the file behavior.yaml of a template stack.
type Behavior struct {
	// CRD is the kind whose custom resources are turned into objects.
	CRD BehaviorCRD `json:"crd,omitempty"`
	// Engine turns them into objects.
	Engine Engine `json:"engine,omitempty"`
	// Source is where the engine's files are.
	Source BehaviorSource `json:"source,omitempty"`
}

// BehaviorCRD is a kind of custom resources.
type BehaviorCRD struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// BehaviorSource is where the files of an engine are.
type BehaviorSource struct {
	// Image is a container image.
	Image string `json:"image,omitempty"`
	// Path is a folder in the image, and not its root.
	Path string `json:"path"`
}

// Engine turns custom resources into objects.
type Engine struct {
	// ControllerImage is the image of the controller that runs the engine; empty means the one of the installation.
	ControllerImage string `json:"controllerImage,omitempty"`
	// Type is helm2, helm3 or kustomize.
	Type string `json:"type"`
	// Kustomize is for the type kustomize.
	Kustomize *KustomizeEngine `json:"kustomize,omitempty"`
}

// KustomizeEngine says how custom resources become a kustomization.
type KustomizeEngine struct {
	// Overlays are patches whose values come from custom resources.
	Overlays []EngineOverlay `json:"overlays,omitempty"`
	// Kustomization is the kustomization that the overlays are added to.
	Kustomization json.RawMessage `json:"kustomization,omitempty"`
}

// EngineOverlay is a patch of one object.
type EngineOverlay struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	// Bindings are the fields that are copied from the custom resource.
	Bindings []FieldBinding `json:"bindings"`
}

// FieldBinding copies a field.
type FieldBinding struct {
	From string `json:"from"`
	To   string `json:"to"`
}
