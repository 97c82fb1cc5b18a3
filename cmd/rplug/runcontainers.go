package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/localrun"
	"github.com/resource-plugins/krm-functions/internal/localrun/container"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// containerFlags are the flags of rplug run for the container engines.
type containerFlags struct{ network, helperImage string }

func (f *containerFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.network, "network", "", "`NETWORK` of containers, as for docker (default: that of the engine)")
	flags.StringVar(&f.helperImage, "helper-image", contract.RuntimeImage, "`IMAGE` with the runner, if rplug is not a program for containers")
}

// openContainers returns the engine of the first program that can be used.
func (f *runFlags) openContainers(c *cobra.Command, programs ...string) (localrun.Engine, error) {
	folder, err := filepath.Abs(localrun.StateFolder)
	if err != nil {
		return nil, err
	}
	options := container.Options{
		Environment: os.Environ(), Folder: folder, Network: f.containers.network, HelperImage: f.containers.helperImage,
		Progress: func(line string) { c.PrintErrln(report.Printable(line)) },
	}
	if own, err := os.Executable(); err == nil {
		options.Runner = own
	}
	var problems []error
	for _, program := range programs {
		engine, err := container.New(c.Context(), program, options)
		if err == nil {
			return engine, nil
		}
		problems = append(problems, err)
	}
	return nil, fmt.Errorf("no engine for containers: start one, or run the scripts directly on this machine with --engine "+
		"process: %w", errors.Join(problems...))
}
