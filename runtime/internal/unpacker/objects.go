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

// unpack returns the objects that install the package of a `.registry` folder in a namespace.
func unpack(folder, namespace string, settings *unpacking.Settings) ([]unpacking.Unpacked, error) {
	files, err := readFolder(folder)
	if err != nil {
		return nil, err
	}
	read := registry.Read(files, registry.Options{Scope: settings.Scope, Image: settings.Image})
	if read.Failed() {
		return nil, problems(read.Findings())
	}
	unpacked := read.Unpack()
	digests, err := digestsOf(unpacked, settings.Name)
	if err != nil {
		return nil, err
	}
	installed, err := registry.Install(unpacked, settings, namespace)
	if err != nil {
		return nil, err
	}
	objects := make([]unpacking.Unpacked, len(installed))
	for i, from := range installed {
		key := unpacking.Key{APIVersion: from.Text("apiVersion"), Kind: from.Text("kind"), Name: from.Text("metadata", "name")}
		text, err := json.Marshal(from)
		if err != nil {
			return nil, err
		}
		objects[i] = unpacking.Unpacked{Key: key, Digest: digests[key], Object: text}
	}
	return objects, nil
}

// digestsOf returns the digests of the objects from the package. record is the name of its record in the cluster.
func digestsOf(unpacked *registry.Unpacked, record string) (map[unpacking.Key]string, error) {
	digests := map[unpacking.Key]string{}
	add := func(object *yaml.Node, name string) error {
		digest, err := registry.ObjectDigest(object)
		digests[unpacking.Key{
			APIVersion: registry.Text(object, "apiVersion"), Kind: registry.Text(object, "kind"), Name: name,
		}] = digest
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
	return errors.New(unpacking.Enumerate(texts))
}
