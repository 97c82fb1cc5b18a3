package container

import (
	"archive/tar"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Runner is a program of this machine that can act as the runner of a step.
type Runner struct {
	// File is its path, or empty if there is no such program.
	File string
	// Arguments are the arguments for acting as the runner, before the script and its arguments.
	Arguments []string
}

// runner returns the file on this machine that becomes contract.RunnerFile in a container of an image, and the arguments
// before the script.
func (e *Engine) runner(ctx context.Context, inspected image) (file string, before []string, err error) {
	own := e.options.Runner
	if own.File != "" && runtime.GOOS == "linux" && inspected.Architecture == runtime.GOARCH && isStatic(own.File) {
		return own.File, own.Arguments, nil
	}
	file, err = once(ctx, &e.mutex, e.runners, inspected.Architecture, func() (string, error) {
		return e.extractRunner(ctx, inspected.Architecture)
	})
	return file, nil, err
}

// isStatic reports whether a program runs in an image without this machine's libraries.
func isStatic(file string) bool {
	program, err := elf.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = program.Close() }()
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP {
			return false
		}
	}
	return true
}

// maxRunner is a limit above the size of any runner, in bytes.
const maxRunner = 64 << 20

// extractRunner copies the runner for an architecture from the helper image.
func (e *Engine) extractRunner(ctx context.Context, architecture string) (string, error) {
	name, platform := e.options.HelperImage, "linux/"+architecture
	if name == "" {
		return "", errors.New("a helper image must be given: this program is not the runner of " + platform)
	}
	arguments := []string{"create", "--platform", platform, "--label", localrun.LabelOwner + "=" + e.owner}
	if _, err := e.inspectImage(ctx, name); err != nil {
		e.progress("%s pulls %s", e.name, name)
	} else if e.podman {
		arguments = append(arguments, "--pull=never")
	}
	id, err := e.output(ctx, append(arguments, "--", name, contract.ImageRunner)...)
	if err != nil {
		return "", fmt.Errorf("helper image %q for %s: load it with `%s load`, give another one, or build rplug for this "+
			"platform with CGO_ENABLED=0: %w", name, platform, e.name, err)
	}
	defer func() { _ = e.Remove(ctx, []string{id}, nil) }()
	file := filepath.Join(e.files, "runner-"+architecture)
	found := false
	err = e.copyFrom(ctx, id, contract.ImageRunner, func(header *tar.Header, content io.Reader) error {
		if header.Typeflag != tar.TypeReg || path.Base(header.Name) != path.Base(contract.ImageRunner) || header.Size > maxRunner {
			return nil
		}
		program, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		found = true
		return errors.Join(os.WriteFile(file, program, 0o600), os.Chmod(file, 0o755))
	})
	if err == nil && !found {
		err = errors.New("it must be a file")
	}
	if err != nil {
		return "", fmt.Errorf("%s of helper image %q: %w", contract.ImageRunner, name, err)
	}
	return file, nil
}
