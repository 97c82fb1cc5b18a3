// Command manager is the program of the helper image besides the runner: it manages what flows between the steps, as
// manager inputs|outputs|copy|cleanup.
package main

import (
	"context"
	"os"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/report"
	"github.com/resource-plugins/krm-functions/runtime/internal/task"
)

func main() {
	host := task.Host{
		Getenv: os.Getenv, IOFolder: contract.IOFolder, TokenFolder: contract.TokenMountPath, Runner: contract.ImageRunner,
		Reporter: report.Reporter{Stderr: os.Stderr, TerminationLog: report.TerminationLog},
	}
	os.Exit(host.Main(task.UntilTerminated(context.Background()), os.Args[1:]))
}
