// Command manager transfers inputs and outputs of steps: manager inputs|outputs|copy|cleanup.
package main

import (
	"context"
	"os"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/manager"
	"github.com/resource-plugins/krm-functions/runtime/internal/termination"
)

func main() {
	manager.ProtectProcess()
	host := manager.Host{
		Getenv: os.Getenv, IOFolder: contract.IOFolder, TokenFolder: contract.TokenMountPath, Runner: contract.ImageRunner,
		Reporter: runner.Reporter{Stderr: os.Stderr, TerminationLog: runner.TerminationLog},
	}
	os.Exit(host.Run(termination.Context(context.Background()), os.Args[1:]))
}
