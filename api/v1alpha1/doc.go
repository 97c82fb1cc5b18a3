// Package v1alpha1 holds the documents and function configs of the API group resourceplugins.dev as Go types.
//
// A ResourcePlugin says how a resource, such as a database, is created for a sandbox and deleted again: steps with
// scripts, inputs and outputs. A Sandbox is an ephemeral environment: it forks workloads of a cluster, names resources and
// the plugins that provide them, and says how requests reach its workloads. A RouteGroup sends requests to all sandboxes
// whose labels match. The fields of these three, and what they mean, are Signadot's:
//
//   - https://www.signadot.com/docs/reference/resource-plugins/spec
//   - https://www.signadot.com/docs/reference/sandboxes/spec
//   - https://www.signadot.com/docs/reference/route-groups/spec
//   - https://github.com/signadot/go-sdk/tree/main/models for fields that the pages show only in examples
//
// A Catalog lists the published versions of plugins, and a PluginLock what references resolved to. A PluginTest says how a
// plugin is tested on one machine. An ExternalPlugin holds what is known of external plugins of kubebuilder: how they are
// installed, and what they have answered.
//
// Functions decode documents with these tags: `json` is the key, `required:"true"` marks a value that must be set, and
// `aliases` lists former keys, and wrong ones that are in use, whose values are read and reported. `quotable:"true"` marks a
// number that may be given as a string of digits, as Signadot's command line tool takes ports, and `unquoted:"true"` a
// string that may be given as a number. pkg/validate checks the rest.
// The JSON Schemas in schemas/ are generated from the types and their comments.
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ResourcePlugin is a plugin document. Its name is `bareName[@version]`.
type ResourcePlugin struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              ResourcePluginSpec `json:"spec"`
}

// Sandbox is a sandbox document.
type Sandbox struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              SandboxSpec `json:"spec"`
}

// RouteGroup is a route group document.
type RouteGroup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              RouteGroupSpec `json:"spec"`
}

// Catalog is a catalog document.
type Catalog struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              CatalogSpec `json:"spec"`
}

// PluginLock is a lock document.
type PluginLock struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              PluginLockSpec `json:"spec"`
}

// PluginTest is a test of a plugin.
type PluginTest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              PluginTestSpec `json:"spec"`
}

// ExternalPlugin describes external plugins of kubebuilder.
type ExternalPlugin struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              ExternalPluginSpec `json:"spec"`
}
