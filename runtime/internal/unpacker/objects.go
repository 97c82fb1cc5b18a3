package unpacker

import (
	"errors"

	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// Objects unpacks a `.registry` folder and returns the objects that install it in a namespace.
func Objects(folder, namespace string, installation unpacking.Installation) ([]Object, error) {
	files, err := readFolder(folder)
	if err != nil {
		return nil, err
	}
	unpacked, results := pack.Unpack(files, pack.UnpackOptions{
		Scope: installation.Scope, Image: installation.Image,
	})
	if err := problems(results); err != nil {
		return nil, err
	}
	digests, err := digestsOf(unpacked, installation.Name)
	if err != nil {
		return nil, err
	}
	installed, err := pack.Install(unpacked, &installation, namespace)
	if err != nil {
		return nil, err
	}
	objects := make([]Object, len(installed))
	for i, from := range installed {
		object := Object{APIVersion: from.GetAPIVersion(), Kind: from.GetKind(), Name: from.GetName()}
		object.Digest = digests[object.key()]
		if object.JSON, err = from.MarshalJSON(); err != nil {
			return nil, err
		}
		objects[i] = object
	}
	return objects, nil
}

// digestsOf returns the digests of the objects from the package. record is the name of its record in the cluster.
func digestsOf(unpacked *pack.Unpacked, record string) (map[key]string, error) {
	digests := map[key]string{}
	add := func(object *kyaml.RNode, name string) error {
		digest, err := pack.ObjectDigest(object)
		digests[key{object.GetApiVersion(), object.GetKind(), name}] = digest
		return err
	}
	errs := append(make([]error, 0, len(unpacked.CRDs)+1), add(unpacked.Record, record))
	for _, crd := range unpacked.CRDs {
		errs = append(errs, add(crd, crd.GetName()))
	}
	return digests, errors.Join(errs...)
}

// problems returns the errors among results as one.
func problems(results krm.Results) error {
	var texts []string
	for _, result := range results {
		if result.Severity == krm.Warning || result.Severity == krm.Info {
			continue
		}
		text := result.Message
		if result.Field != nil && result.Field.Path != "" {
			text = result.Field.Path + ": " + text
		}
		if result.File != nil && result.File.Path != "" {
			text = result.File.Path + ": " + text
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(enumerate(texts))
}
