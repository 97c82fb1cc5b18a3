package unpacker

import (
	"encoding/json"
	"errors"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// Objects unpacks a `.registry` folder and returns the objects that install it in a namespace.
func Objects(folder, namespace string, installation unpacking.Installation) ([]Object, error) {
	files, err := readFolder(folder)
	if err != nil {
		return nil, err
	}
	read := registry.Read(files, registry.Options{Scope: installation.Scope, Image: installation.Image})
	if read.Failed() {
		return nil, problems(read.Findings())
	}
	unpacked := read.Unpack()
	digests, err := digestsOf(unpacked, installation.Name)
	if err != nil {
		return nil, err
	}
	installed, err := registry.Install(unpacked, &installation, namespace)
	if err != nil {
		return nil, err
	}
	objects := make([]Object, len(installed))
	for i, from := range installed {
		object := Object{APIVersion: from.Text("apiVersion"), Kind: from.Text("kind"), Name: from.Text("metadata", "name")}
		object.Digest = digests[object.key()]
		if object.JSON, err = json.Marshal(from); err != nil {
			return nil, err
		}
		objects[i] = object
	}
	return objects, nil
}

// digestsOf returns the digests of the objects from the package. record is the name of its record in the cluster.
func digestsOf(unpacked *registry.Unpacked, record string) (map[key]string, error) {
	digests := map[key]string{}
	add := func(object *yaml.Node, name string) error {
		digest, err := registry.ObjectDigest(object)
		digests[key{registry.Text(object, "apiVersion"), registry.Text(object, "kind"), name}] = digest
		return err
	}
	errs := append(make([]error, 0, len(unpacked.CRDs)+1), add(unpacked.Record, record))
	for _, crd := range unpacked.CRDs {
		errs = append(errs, add(crd, registry.Text(field.Value(crd, "metadata"), "name")))
	}
	return digests, errors.Join(errs...)
}

// problems returns the errors among findings as one.
func problems(findings []*registry.Finding) error {
	var texts []string
	for _, f := range findings {
		if f.Severity != strictyaml.SeverityError {
			continue
		}
		text := f.Message
		if f.Path != "" {
			text = string(f.Path) + ": " + text
		}
		texts = append(texts, text)
	}
	return errors.New(enumerate(texts))
}
