package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/handover"
)

// makeParents lets a script write its outputs without making folders first. Where the runner may not, the script has to.
func makeParents(outputs []contract.Output) {
	for _, output := range outputs {
		_ = os.MkdirAll(filepath.Dir(output.Path), 0o755)
	}
}

// collect copies what the script left to the shared volume. It tells all that is amiss at once.
func collect(folder *handover.Folder, outputs []contract.Output) error {
	var faults []error
	left := contract.MaxOutputBytes
	for _, output := range outputs {
		value, err := read(output.Path, left)
		if errors.Is(err, handover.ErrTooLarge) {
			return handover.TooLarge()
		}
		if err == nil {
			left -= len(value)
			err = folder.WriteOutput(output.Name, value)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("output %q from %q: %w", output.Name, output.Path, err))
		}
	}
	return join(faults)
}

// read follows links: the script may have left the output wherever it likes.
func read(path string, limit int) ([]byte, error) {
	file, err := openWithoutWaiting(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the script must write this file; it is not there")
	}
	if err != nil {
		return nil, cause(err)
	}
	defer func() { _ = file.Close() }()
	return handover.ReadRegular(file, limit)
}

// openWithoutWaiting opens a file for reading that may turn out to be a pipe without a writer.
func openWithoutWaiting(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// cause drops the path from an error that is told with the path anyway.
func cause(err error) error {
	var inPath *fs.PathError
	if errors.As(err, &inPath) {
		return inPath.Err
	}
	return err
}

// join makes one line of several faults.
func join(faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	texts := make([]string, len(faults))
	for i, fault := range faults {
		texts[i] = fault.Error()
	}
	return errors.New(strings.Join(texts, "; "))
}
