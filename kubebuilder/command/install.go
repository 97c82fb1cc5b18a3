package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/plugin"
)

// pluginProgram is the program that contains only the external plugin, so it is smaller than rplug.
const pluginProgram = "kubebuilder-resource-plugin"

func installCommand() *cobra.Command {
	var root string
	command := &cobra.Command{
		Use: "install", Args: rplug.Arguments(0, 0),
		Short: "Install the external plugin that makes projects with resource plugins",
		Long: "Install the external plugin " + plugin.Key + " for kubebuilder. It makes projects with\n" +
			"resource plugins, alone or behind go/v4.\n\n" +
			"A program is copied, so rplug can be moved; install again after an update. It is the program\n" +
			pluginProgram + " beside rplug, else rplug itself.",
		Example: "  rplug kubebuilder install --root ./external\n" +
			"  EXTERNAL_PLUGINS_PATH=./external kubebuilder init --plugins " + plugin.Key,
		RunE: func(c *cobra.Command, _ []string) error {
			folder, err := pluginsRoot(root)
			if err != nil {
				return err
			}
			file := filepath.Join(folder, plugin.Name, plugin.Version, plugin.Name)
			state, err := installProgram(file)
			if err != nil {
				return rplug.Refuse(err)
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%-9s  %s\n", state, report.Printable(file))
			return err
		},
	}
	command.Flags().StringVar(&root, "root", "", rootUsage)
	_ = command.MarkFlagDirname("root")
	return command
}

// installProgram copies the program of the plugin to a file. Plugin processes that are running keep the old program.
func installProgram(file string) (state string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(filepath.Join(filepath.Dir(self), pluginProgram))
	if errors.Is(err, fs.ErrNotExist) {
		program, err = os.ReadFile(self)
	}
	if err != nil {
		return "", err
	}
	before, err := os.ReadFile(file)
	switch {
	case err == nil && bytes.Equal(before, program):
		return "unchanged", os.Chmod(file, 0o755)
	case err == nil:
		state = "replaced"
	case errors.Is(err, fs.ErrNotExist):
		state = "created"
	default:
		return "", err
	}
	return state, replaceProgram(file, program)
}

// replaceProgram writes the program to a temporary file first, in the parent of the version's folder, where kubebuilder
// ignores files.
func replaceProgram(file string, program []byte) error {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(folder), pluginProgram+"-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // only exists after an error
	_, err = temporary.Write(program)
	if err := errors.Join(err, temporary.Chmod(0o755), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}
