// Package unpacker is the program that installs packages in a cluster, and removes them. It has a subcommand for each
// container of the Jobs that render-phase creates for install requests.
//
// copy-self and copy bring the folder of a package image to a volume. No program of that image runs, and no container that
// reads it has a token. apply unpacks the folder, checks that the objects are those that were rendered, and applies them:
// CRDs first, and the others when the API server has established the CRDs. delete removes them in reverse order.
//
// An interrupted run is repeated: each object is applied or removed, regardless of its state.
package unpacker

import (
	"context"
	"errors"
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/termination"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// Exit codes of the program.
const (
	exitFailed = 1
	exitUsage  = 2
)

// Program is the environment of the program. Tests replace the paths that a rendered Pod has.
type Program struct {
	// Getenv returns the value of an environment variable.
	Getenv func(string) string
	// Self is the program's own file, PackageFolder the copied folder of the package, TokenFolder the projected token.
	Self, PackageFolder, TokenFolder string
	// Unpack returns the objects to apply.
	Unpack func(folder, namespace string, installation unpacking.Installation) ([]Object, error)
	// Reporter writes the messages.
	Reporter runner.Reporter
	// Timing is the timing of the client. Zero means the defaults.
	Timing cluster.Timing
}

// Object is an object to apply.
type Object struct {
	APIVersion, Kind, Name string
	// Digest is registry.ObjectDigest of an object from the package: a CRD or the record. It is empty for others,
	// which are derived from the record.
	Digest string
	// JSON is the object.
	JSON []byte
}

// Run runs a subcommand and returns the exit code. ctx comes from termination.Context.
func (p Program) Run(ctx context.Context, arguments []string) int {
	err := p.run(ctx, arguments)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		p.Reporter.Fail(err.Error())
		return exitUsage
	case errors.Is(err, termination.Err):
		p.Reporter.Fail(err.Error())
		return termination.ExitCode
	default:
		p.Reporter.Fail(err.Error())
		return exitFailed
	}
}

var errUsage = fmt.Errorf("usage: unpacker %s DIR | %s SRC DST | %s | %s", unpacking.CopySelf, unpacking.Copy,
	unpacking.Apply, unpacking.Delete)

func (p Program) run(ctx context.Context, arguments []string) error {
	command, operands := "", 0
	if len(arguments) > 0 {
		command, operands = arguments[0], len(arguments)-1
	}
	switch {
	case command == unpacking.CopySelf && operands == 1:
		return copySelf(p.Self, arguments[1])
	case command == unpacking.Copy && operands == 2:
		return copyFolder(arguments[1], arguments[2])
	case command == unpacking.Apply && operands == 0:
		return p.withTask(ctx, (*task).apply)
	case command == unpacking.Delete && operands == 0:
		return p.withTask(ctx, (*task).delete)
	default:
		return errUsage
	}
}

// withTask runs a subcommand that talks to the API server.
func (p Program) withTask(ctx context.Context, run func(*task, context.Context) error) error {
	t, err := p.task()
	if err != nil {
		return err
	}
	if err := run(t, ctx); err != nil {
		return fmt.Errorf("package %q: %w", t.installation.Name, err)
	}
	return nil
}
