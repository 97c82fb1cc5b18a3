// Command helper is what the helper image holds besides the runner: helper inputs|outputs|copy|cleanup.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/report"
	"github.com/resource-plugins/krm-functions/runtime/internal/task"
)

func main() {
	host := task.Host{
		Getenv: os.Getenv, IOFolder: contract.IOFolder, TokenFolder: contract.TokenMountPath, Runner: contract.ImageRunner,
		Reporter: report.Reporter{Stderr: os.Stderr, TerminationLog: report.TerminationLog},
	}
	ctx, terminate := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() { <-signals; terminate(task.Terminated) }()
	os.Exit(host.Main(ctx, os.Args[1:]))
}
