package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// WriteExit writes the script's exit code. It must be the last file that the runner writes.
func (v *Volume) WriteExit(code int) error {
	return v.write(relative(contract.ExitFile), []byte(strconv.Itoa(code)), readable)
}

// ErrNoExit is returned if the runner ended without an exit code.
var ErrNoExit = errors.New("main was killed before it wrote an exit code")

// Exit reads the exit code that the runner wrote, or returns ErrNoExit.
func (v *Volume) Exit() (int, error) {
	content, err := v.read(relative(contract.ExitFile), 16)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, ErrNoExit
	}
	if err != nil {
		return 0, fmt.Errorf("cannot read the exit code of main: %w", err)
	}
	code, err := strconv.Atoi(string(content))
	if err != nil {
		return 0, errors.New("the exit code of main must be a number")
	}
	return code, nil
}

// WriteOutput writes the value of an output for the output manager.
func (v *Volume) WriteOutput(name string, value []byte) error {
	name, err := outputPath(name)
	if err != nil {
		return err
	}
	return v.create(name, value, readable)
}

// Outputs reads the outputs that the runner wrote. All must exist and fit into one Secret.
func (v *Volume) Outputs(declared []contract.Output) (map[string][]byte, error) {
	values := make(map[string][]byte, len(declared))
	remaining := contract.MaxOutputBytes
	for _, output := range declared {
		name, err := outputPath(output.Name)
		if err != nil {
			return nil, err
		}
		value, err := v.read(name, remaining)
		if errors.Is(err, ErrTooLarge) {
			return nil, TooLarge()
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read output %q: %w", output.Name, err)
		}
		remaining -= len(value)
		values[output.Name] = value
	}
	return values, nil
}

// TooLarge is the error for outputs that do not fit into one Secret.
func TooLarge() error {
	return fmt.Errorf("outputs must not have more than %d bytes in total, the limit of a Secret", contract.MaxOutputBytes)
}

func outputPath(name string) (string, error) {
	if strings.Contains(name, "/") {
		return "", fmt.Errorf("output name %q in the plan must not contain a slash", name)
	}
	return path.Join(relative(contract.OutputsFolder), name), checkLocal(name)
}
