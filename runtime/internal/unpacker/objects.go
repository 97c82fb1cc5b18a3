package unpacker

import (
	"errors"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Objects unpacks a folder, and returns the objects of an installation.
func Objects(folder, namespace string, installation contract.Installation) ([]Object, error) {
	return nil, errors.New("not yet")
}
