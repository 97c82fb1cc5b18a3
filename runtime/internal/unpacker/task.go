package unpacker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// The kind of CRDs.
const (
	crdKind  = "CustomResourceDefinition"
	crdGroup = "apiextensions.k8s.io"
)

// task is one run of a subcommand that talks to the API server.
type task struct {
	program      Program
	client       *cluster.Client
	namespace    string
	installation unpacking.Installation
}

// task reads the environment variables.
func (p Program) task() (*task, error) {
	t := &task{program: p, namespace: p.Getenv(contract.NamespaceVariable)}
	if t.namespace == "" {
		return nil, missing(contract.NamespaceVariable)
	}
	var err error
	if t.installation, err = parseInstallation(p.Getenv(unpacking.Variable)); err != nil {
		return nil, err
	}
	t.client, err = cluster.New(cluster.Config{
		Host: p.Getenv("KUBERNETES_SERVICE_HOST"), Port: p.Getenv("KUBERNETES_SERVICE_PORT"),
		Folder: p.TokenFolder, Timing: p.Timing,
	})
	return t, err
}

// parseInstallation rejects unknown fields: an installation of a newer renderer must not be executed in part.
func parseInstallation(text string) (unpacking.Installation, error) {
	var installation unpacking.Installation
	if text == "" {
		return installation, missing(unpacking.Variable)
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&installation); err != nil {
		return installation, fmt.Errorf("cannot read the installation in %s: the image of the unpacker must have the version of "+
			"the function that rendered the Job: %w", unpacking.Variable, err)
	}
	if installation.Name == "" || len(installation.Objects) == 0 {
		return installation, errors.New("the installation must have a name and objects")
	}
	return installation, nil
}

func missing(variable string) error {
	return fmt.Errorf("environment variable %s must be set", variable)
}

// ref returns the reference of an object in the cluster.
func (t *task) ref(of unpacking.Object) cluster.Ref {
	group, version, found := strings.Cut(of.APIVersion, "/")
	if !found {
		group, version = "", group
	}
	ref := cluster.Ref{
		Kind: cluster.Kind{Group: group, Version: version, Plural: of.Resource, Singular: strings.ToLower(of.Kind)},
		Name: of.Name,
	}
	if of.IsNamespaced {
		ref.Namespace = t.namespace
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
