//go:build !windows

package atomicfile

import (
	"errors"
	"os"
)

// temporary returns a new file that has no name any more.
func temporary() (*os.File, error) {
	file, err := os.CreateTemp("", "rplug-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
