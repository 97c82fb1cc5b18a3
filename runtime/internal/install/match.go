package install

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// match returns the objects by their keys. They must be the rendered ones, and objects from the package must have the
// content that they had then: a tag can be moved to another image.
func match(planned []unpacking.Object, objects []unpacking.Unpacked) (map[unpacking.Key][]byte, error) {
	var differences []string
	unpacked := map[unpacking.Key]unpacking.Unpacked{}
	for _, object := range objects {
		if _, isTwice := unpacked[object.Key]; isTwice {
			differences = append(differences, fmt.Sprintf("%s is in it twice", object.Key))
		}
		unpacked[object.Key] = object
	}
	bodies := map[unpacking.Key][]byte{}
	for _, of := range planned {
		object, found := unpacked[of.Key]
		switch {
		case !found:
			differences = append(differences, fmt.Sprintf("%s is missing", of.Key))
		case object.Digest != of.Digest:
			differences = append(differences, fmt.Sprintf("%s has another content", of.Key))
		}
		bodies[of.Key] = object.Object
	}
	for _, object := range objects {
		if bodies[object.Key] == nil {
			differences = append(differences, fmt.Sprintf("%s was not rendered", object.Key))
		}
	}
	if len(differences) == 0 {
		return bodies, nil
	}
	return nil, fmt.Errorf("the package image must be the one that was rendered, but %s: import the package again and "+
		"render the request, or pin the image by its digest", unpacking.Enumerate(differences))
}
