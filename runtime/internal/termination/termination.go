// Package termination turns the signals that end a Pod into the end of a context.
package termination

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Err is the cause of a context that SIGTERM or SIGINT cancelled.
var Err = errors.New("the Pod is being terminated")

// ExitCode is the exit code of a program that ends because of Err.
const ExitCode = 143

// Context returns a context that SIGTERM or SIGINT cancels with Err.
func Context(parent context.Context) context.Context {
	ctx, terminate := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		terminate(Err)
	}()
	return ctx
}
