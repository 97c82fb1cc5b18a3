// Package unpacker is the program that unpacks a package in its own image, where none of the image's programs runs. The Jobs
// that render-phase creates for install requests have a container for each of its subcommands.
//
// copy-self brings the program to a volume. unpack reads the folder of the package image and writes the objects that install
// the package to the volume. Neither has a token or needs a network: untrusted files are read here, and the manager, which
// may change the cluster, reads only the objects.
package unpacker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/variable"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// Exit codes of the program.
const (
	exitFailed = 1
	exitUsage  = 2
)

// Program is the environment of the program. Tests replace the variables and paths of a rendered Pod.
type Program struct {
	// Getenv returns the value of an environment variable.
	Getenv func(string) string
	// Self is the program's own file.
	Self string
	// Reporter writes the messages.
	Reporter runner.Reporter
}

// Run runs a subcommand and returns the exit code.
func (p Program) Run(arguments []string) int {
	err := p.run(arguments)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		p.Reporter.Fail(err.Error())
		return exitUsage
	default:
		p.Reporter.Fail(err.Error())
		return exitFailed
	}
}

var errUsage = fmt.Errorf("usage: unpacker %s DIR | %s FOLDER FILE", unpacking.CopySelf, unpacking.Unpack)

func (p Program) run(arguments []string) error {
	command, operands := "", 0
	if len(arguments) > 0 {
		command, operands = arguments[0], len(arguments)-1
	}
	switch {
	case command == unpacking.CopySelf && operands == 1:
		return copySelf(p.Self, arguments[1])
	case command == unpacking.Unpack && operands == 2:
		return p.unpack(arguments[1], arguments[2])
	default:
		return errUsage
	}
}

// unpack writes the objects that install the package in a folder to a file.
func (p Program) unpack(folder, file string) error {
	namespace := p.Getenv(contract.NamespaceVariable)
	if namespace == "" {
		return variable.Missing(contract.NamespaceVariable)
	}
	settings, err := parseSettings(p.Getenv(unpacking.SettingsVariable))
	if err != nil {
		return err
	}
	objects, err := unpack(folder, namespace, settings)
	if err != nil {
		return fmt.Errorf("package %q: in the package image: %w", settings.Name, err)
	}
	text, err := json.Marshal(objects)
	if err != nil {
		return err
	}
	if err := writeFile(file, bytes.NewReader(text), 0o644); err != nil {
		return fmt.Errorf("cannot write the objects of the package to %q: %w", file, err)
	}
	return nil
}

// parseSettings decodes settings.
func parseSettings(text string) (*unpacking.Settings, error) {
	settings := &unpacking.Settings{}
	const message = "cannot read the settings in %s: the unpacker image must have the version of the function " +
		"that rendered the Pod: %w"
	if err := variable.Decode(unpacking.SettingsVariable, text, message, settings); err != nil {
		return nil, err
	}
	if settings.Name == "" {
		return nil, errors.New("the settings must have a name")
	}
	return settings, nil
}
