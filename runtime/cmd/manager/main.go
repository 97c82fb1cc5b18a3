// Command manager does the work that needs the API server: it transfers inputs and outputs of steps, cleans up after them,
// installs and removes packages, and tears down expired sandboxes.
package main

import (
	"context"
	"os"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/manager"
	"github.com/resource-plugins/krm-functions/runtime/internal/termination"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

func main() {
	manager.ProtectProcess()
	host := manager.Host{
		Getenv: os.Getenv, IOFolder: contract.IOFolder, TokenFolder: contract.TokenMountPath, Runner: contract.ImageRunner,
		PackageObjects: unpacking.ObjectsFile,
		Reporter:       runner.Reporter{Stderr: os.Stderr, TerminationLog: runner.TerminationLog},
	}
	os.Exit(host.Run(termination.Context(context.Background()), os.Args[1:]))
}
