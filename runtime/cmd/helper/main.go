// Command helper is what the helper image holds besides the runner: helper inputs|outputs|copy|cleanup.
package main

import (
	"context"
	"os"

	"github.com/resource-plugins/krm-functions/pkg/contract"
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
