// Package v1alpha1 holds the documents and function configs of the API group resourceplugins.dev as Go types.
//
// A ResourcePlugin defines how a resource, such as a database, is created for a sandbox and deleted again: steps with
// scripts, inputs and outputs. A Sandbox is an ephemeral environment: it forks workloads of a cluster, names resources
// and their plugins, and defines how requests reach its workloads. A RouteGroup sends requests to all sandboxes whose
// labels match. The fields of these three, and their meaning, are Signadot's:
//
//   - https://www.signadot.com/docs/reference/resource-plugins/spec
//   - https://www.signadot.com/docs/reference/sandboxes/spec
//   - https://www.signadot.com/docs/reference/route-groups/spec
//   - https://github.com/signadot/go-sdk/tree/main/models for fields that the pages show only in examples
//
// An OutputSecret gives the outputs of a resource to workloads that are not forks. A Catalog lists the published versions of
// plugins, and a PluginLock the resolutions of references. A PluginTest defines tests of a plugin on one machine.
//
// Functions decode documents with these tags: `json` is the key, `required:"true"` marks a value that must be set, and
// `aliases` lists former keys, and wrong ones that are in use, whose values are read and reported. `quotable:"true"` marks a
// number that may be given as a string of digits, as Signadot's command line tool takes ports, and `unquoted:"true"` a
// string that may be given as a number. pkg/validate checks the rest.
// The JSON Schemas in api/schemas/ are generated from the types and their comments.
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ResourcePlugin describes how a resource of an ephemeral environment, such as a database, is created and deleted: two
// lists of steps, each a script in a container with inputs and outputs. Its name contains the version: `metadata.name:
// hello-db@1.0.0`. A name without a version means 0.0.0.
type ResourcePlugin struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              ResourcePluginSpec `json:"spec"`
}

// Sandbox is an ephemeral environment on a cluster: copies of some workloads with changes (forks), the resources that
// plugins create for it, and the URLs at which it is reached.
type Sandbox struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              SandboxSpec `json:"spec"`
}

// RouteGroup sends requests to several sandboxes at once: those whose labels match. It has its own routing key.
type RouteGroup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              RouteGroupSpec `json:"spec"`
}

// Catalog lists the published versions of plugins and of Crossplane packages: their digests, channels, and which of them
// are deprecated or yanked. References are resolved against all catalogs and plugin documents of the input.
type Catalog struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              CatalogSpec `json:"spec"`
}

// PluginLock records the resolution of each reference, so that a new version of a plugin does not recreate live
// resources.
type PluginLock struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              PluginLockSpec `json:"spec"`
}

// PluginTest describes tests of a plugin: cases that create and delete a resource on one machine, without a cluster,
// and their expected results.
type PluginTest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              PluginTestSpec `json:"spec"`
}

// OutputSecret is a Secret with outputs of a sandbox's resource, for workloads that are not forks. The document has the name
// and the namespace of the Secret.
type OutputSecret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              OutputSecretSpec `json:"spec"`
}
