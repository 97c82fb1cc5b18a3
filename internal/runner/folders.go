//go:build linux

package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// makeOutputFolders creates the folders of the outputs. If the runner lacks the permission, the script must.
func makeOutputFolders(outputs []contract.Output) {
	for _, output := range outputs {
		_ = os.MkdirAll(filepath.Dir(output.Path), 0o755)
	}
}

// withFolders adds to the failure of a script the reason why it cannot write its outputs, if any: commands such as
// mkdir fail then. Exit codes from that of a timeout have other reasons.
func withFolders(err error, outputs []contract.Output) error {
	var failure *exitError
	if !errors.As(err, &failure) || failure.code >= exitTimeout {
		return err
	}
	for _, output := range outputs {
		if reason := notWritable(filepath.Dir(output.Path)); reason != "" {
			return &exitError{code: failure.code, text: failure.text + "; " + reason}
		}
	}
	return err
}

// notWritable returns the reason why the user of main cannot create files in a folder, with advice; or "".
func notWritable(folder string) string {
	const advice = ": run main as another user, mount an emptyDir there in podTemplateOverlay, or set valueFromPath to a " +
		"file in a writable folder such as /tmp"
	existing := folder
	for {
		_, err := os.Stat(existing)
		if !errors.Is(err, fs.ErrNotExist) || existing == filepath.Dir(existing) {
			break
		}
		existing = filepath.Dir(existing)
	}
	const write, search = 2, 1 // W_OK and X_OK of unistd.h
	err := syscall.Access(existing, write|search)
	switch {
	case !errors.Is(err, syscall.EACCES) && !errors.Is(err, syscall.EROFS):
		return ""
	case existing == folder:
		return fmt.Sprintf("user %d of main cannot write to the folder %q", os.Getuid(), folder) + advice
	default:
		return fmt.Sprintf("user %d of main cannot create the folder %q", os.Getuid(), folder) + advice
	}
}

// isFull reports whether a process of main cannot allocate blocks or files: reserved ones are for root. A file system
// without limits has no blocks, and a read-only one no free ones.
func isFull(system *syscall.Statfs_t, root bool) bool {
	if system.Flags&syscall.MS_RDONLY != 0 { // has the value of ST_RDONLY
		return false
	}
	free := system.Bavail
	if root {
		free = system.Bfree
	}
	return system.Blocks > 0 && free == 0 || system.Files > 0 && system.Ffree == 0
}
