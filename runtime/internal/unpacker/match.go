package unpacker

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// maxDifferences is the number of differences that a message names.
const maxDifferences = 5

// key identifies an object of an installation.
type key struct{ apiVersion, kind, name string }

func keyOf(of contract.InstalledObject) key { return key{of.APIVersion, of.Kind, of.Name} }

func (o Object) key() key { return key{o.APIVersion, o.Kind, o.Name} }

func (k key) String() string { return fmt.Sprintf("%s %q of %s", k.kind, k.name, k.apiVersion) }

// match returns the objects by key. They must be the rendered ones, and objects from the package must not have changed since
// rendering: a tag can be moved to another image.
func match(planned []contract.InstalledObject, objects []Object) (map[key][]byte, error) {
	var differences []string
	unpacked := map[key]Object{}
	for _, object := range objects {
		k := object.key()
		if _, isTwice := unpacked[k]; isTwice {
			differences = append(differences, fmt.Sprintf("%s is in it twice", k))
		}
		unpacked[k] = object
	}
	bodies := map[key][]byte{}
	for _, of := range planned {
		k := keyOf(of)
		object, found := unpacked[k]
		switch {
		case !found:
			differences = append(differences, fmt.Sprintf("%s is missing", k))
		case object.Digest != of.Digest:
			differences = append(differences, fmt.Sprintf("%s has another content", k))
		}
		bodies[k] = object.JSON
	}
	for _, object := range objects {
		if k := object.key(); bodies[k] == nil {
			differences = append(differences, fmt.Sprintf("%s was not rendered", k))
		}
	}
	if len(differences) == 0 {
		return bodies, nil
	}
	return nil, fmt.Errorf("the package image must be the one that was rendered, but %s: import the package again and "+
		"render the request, or pin the image by its digest", enumerate(differences))
}

func enumerate(texts []string) string {
	if len(texts) > maxDifferences {
		texts = append(texts[:maxDifferences:maxDifferences], fmt.Sprintf("%d more", len(texts)-maxDifferences))
	}
	return strings.Join(texts, ", ")
}
