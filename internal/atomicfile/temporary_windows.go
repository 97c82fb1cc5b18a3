package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// temporary returns a new file that Windows deletes when it is closed, even if the process is killed.
func temporary() (*os.File, error) {
	for i := 0; ; i++ {
		name := filepath.Join(os.TempDir(), fmt.Sprintf("rplug-%d-%d", os.Getpid(), i))
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|fileFlagDeleteOnClose, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}
