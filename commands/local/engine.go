// Package local implements `rplug run` and `rplug test`, which run and test plugins on this machine without a cluster,
// except for flags and reading documents. Open returns the engine that runs the steps, and Machine the environment of tests.
// Progress shows the progress of a run or test; WriteLogs and WriteOutputs print its results.
//
//	progress := local.NewProgress(os.Stderr)
//	engine, err := local.Open(ctx, local.EngineOptions{Name: "docker", Progress: progress.Note})
//	report, err := localrun.Run(ctx, objects, localrun.Options{Engine: engine, Observe: progress.Observe})
//	progress.End()
package local

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/container"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/commands/local/plugintest"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// EngineOptions select an engine.
type EngineOptions struct {
	// Name is docker, podman or process; empty means docker or podman, whichever works.
	Name string
	// HelperImage is the image with the runner. Empty means this program or, if it cannot be the runner, DefaultHelperImage.
	HelperImage        string
	DefaultHelperImage string
	// Network is the network of containers; empty means the engine's default.
	Network string
	// Images are shared by several engines; nil means those of one engine.
	Images *container.Images
	// Warn receives warnings about the engine, and Progress a line before an operation that may take long.
	Warn, Progress func(line string)
}

// Engines returns the names of the engines.
func Engines() []string { return append(container.Programs(), process.Name) }

// Open returns the engine.
func Open(ctx context.Context, options EngineOptions) (localrun.Engine, error) {
	switch name := options.Name; {
	case name == process.Name:
		return options.openProcess()
	case slices.Contains(container.Programs(), name):
		return options.openContainer(ctx, name)
	case engines.Named(name) != nil:
		return nil, fmt.Errorf("--engine must be docker, podman or process, not %q, which is for clusters: steps run here in "+
			"the same way, whatever engine a cluster has", name)
	case name != "":
		return nil, fmt.Errorf("--engine must be docker, podman or process, not %q", name)
	}
	var problems []string
	for _, program := range container.Programs() {
		opened, err := options.openContainer(ctx, program)
		if err == nil {
			return opened, nil
		}
		problems = append(problems, err.Error())
	}
	return nil, fmt.Errorf("containers cannot be run: %s: with --engine process, scripts run directly on this machine, with "+
		"your rights", strings.Join(problems, "; "))
}

func (o *EngineOptions) openContainer(ctx context.Context, program string) (localrun.Engine, error) {
	if _, err := localrun.OpenState(localrun.StateFolder); err != nil { // below the working directory, for the daemon
		return nil, err
	}
	folder, err := filepath.Abs(localrun.StateFolder)
	if err != nil {
		return nil, err
	}
	options := container.Options{
		Environment: os.Environ(), Folder: folder, Network: o.Network, Images: o.Images, Progress: o.Progress,
		HelperImage: cmp.Or(o.HelperImage, o.DefaultHelperImage, contract.RuntimeImage),
	}
	if self, err := os.Executable(); err == nil && o.HelperImage == "" {
		options.Runner = container.Runner{File: self, Arguments: []string{process.RunnerArgument}}
	}
	return container.New(ctx, program, options)
}

// openProcess returns the engine without containers, and warns about its consequences.
func (o *EngineOptions) openProcess() (localrun.Engine, error) {
	opened, err := process.New(process.Options{})
	if err != nil {
		return nil, err
	}
	o.Warn("the scripts run directly on this machine, with your rights and without their images")
	if isolated, reason := opened.IsIsolated(); !isolated {
		o.Warn("the scripts see and change your files, since bubblewrap does not isolate them: " + reason.Error())
	}
	return opened, nil
}

// Machine returns the environment of tests on this machine. Each round of a case opens its own engine, since containers are
// in the network of their round.
func Machine(ctx context.Context, options EngineOptions, parallel int) (plugintest.Machine, error) {
	machine := plugintest.Machine{Parallel: parallel, Environment: os.Environ()}
	opened, err := Open(ctx, options)
	if err != nil {
		return machine, err
	}
	if opened.Name() == process.Name {
		machine.Engine = func(context.Context, string) (localrun.Engine, error) { return opened, nil }
		if installed := slices.IndexFunc(container.Programs(), isInstalled); installed >= 0 {
			machine.Containers = container.Programs()[installed]
		}
		return machine, nil
	}
	machine.Containers, machine.Networked = opened.Name(), true
	images := container.NewImages()
	machine.Engine = func(_ context.Context, network string) (localrun.Engine, error) {
		own := options
		own.Images = images
		own.Name, own.Network = opened.Name(), network
		return Open(ctx, own)
	}
	return machine, opened.Close()
}

func isInstalled(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
