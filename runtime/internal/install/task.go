// Package install applies the objects of an unpacked package in a cluster, and removes them. It reads no file of a package:
// package unpacker has made objects of them, in a container without a token.
//
// Objects are applied only if they are those that were rendered: CRDs first, and the others when the API server has
// established the CRDs. They are removed in reverse order. An interrupted run is repeated: each object is applied or
// removed, regardless of its state.
package install

import (
	"errors"
	"strings"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/variable"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// The kind of CRDs.
const (
	crdKind  = "CustomResourceDefinition"
	crdGroup = "apiextensions.k8s.io"
)

// Task is one run.
type Task struct {
	Client       *cluster.Client
	Namespace    string
	Installation unpacking.Installation
	Log          func(string)
}

// Parse decodes an installation.
func Parse(text string) (unpacking.Installation, error) {
	var installation unpacking.Installation
	const message = "cannot read the installation in %s: the helper image must have the version of the function " +
		"that rendered the Pod: %w"
	if err := variable.Decode(unpacking.InstallationVariable, text, message, &installation); err != nil {
		return installation, err
	}
	if installation.Name == "" || len(installation.Objects) == 0 {
		return installation, errors.New("the installation must have a name and objects")
	}
	return installation, nil
}

// ref returns the reference of an object in the cluster.
func (t *Task) ref(of unpacking.Object) cluster.Ref {
	group, version, found := strings.Cut(of.APIVersion, "/")
	if !found {
		group, version = "", group
	}
	ref := cluster.Ref{
		Kind: cluster.Kind{Group: group, Version: version, Plural: of.Resource, Singular: strings.ToLower(of.Kind)},
		Name: of.Name,
	}
	if of.IsNamespaced {
		ref.Namespace = t.Namespace
	}
	return ref
}

// crdRef returns the reference of a CRD in the cluster.
func crdRef(name string) cluster.Ref {
	return cluster.Ref{Name: name, Kind: cluster.Kind{
		Group: crdGroup, Version: "v1", Plural: "customresourcedefinitions", Singular: "customresourcedefinition",
	}}
}

func isCRD(of unpacking.Object) bool {
	return of.Kind == crdKind && strings.HasPrefix(of.APIVersion, crdGroup+"/")
}
