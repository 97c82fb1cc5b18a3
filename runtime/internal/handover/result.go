package handover

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// WriteExit leaves the script's exit code. It is the last thing that a runner writes.
func (f *Folder) WriteExit(code int) error {
	return f.write(inside(contract.ExitFile), []byte(strconv.Itoa(code)), readable)
}

// ErrNoExit says that the runner died before it could leave an exit code.
var ErrNoExit = errors.New("main was killed before it left an exit code")

// Exit is the code that the runner left, or ErrNoExit.
func (f *Folder) Exit() (int, error) {
	content, err := f.read(inside(contract.ExitFile), 16)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, ErrNoExit
	}
	if err != nil {
		return 0, fmt.Errorf("the exit code of main cannot be read: %w", err)
	}
	code, err := strconv.Atoi(string(content))
	if err != nil {
		return 0, errors.New("the exit code of main is not a number")
	}
	return code, nil
}

// WriteOutput leaves the value of an output for the output manager.
func (f *Folder) WriteOutput(name string, value []byte) error {
	name, err := output(name)
	if err != nil {
		return err
	}
	return f.create(name, value, readable)
}

// Outputs are the values that the runner left, an error where one is missing or all are too large for a Secret.
func (f *Folder) Outputs(wanted []contract.Output) (map[string][]byte, error) {
	values := make(map[string][]byte, len(wanted))
	left := contract.MaxOutputBytes
	for _, one := range wanted {
		name, err := output(one.Name)
		if err != nil {
			return nil, err
		}
		value, err := f.read(name, left)
		if errors.Is(err, ErrTooLarge) {
			return nil, TooLarge()
		}
		if err != nil {
			return nil, fmt.Errorf("output %q cannot be read: %w", one.Name, err)
		}
		left -= len(value)
		values[one.Name] = value
	}
	return values, nil
}

// TooLarge says that the outputs of a step do not fit in its Secret.
func TooLarge() error {
	return fmt.Errorf("the outputs must not hold more than %d bytes together, the most that a Secret takes",
		contract.MaxOutputBytes)
}

func output(name string) (string, error) {
	if strings.Contains(name, "/") {
		return "", fmt.Errorf("the plan names the output %q: it must not have a slash", name)
	}
	return path.Join(inside(contract.OutputsFolder), name), local(name)
}
