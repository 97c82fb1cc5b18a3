// Package task is the manager program: what the containers and Jobs around a step's script do, one subcommand each. It
// takes its work from variables, since a later kustomize overlay can rewrite only those names that come from the Pod's
// annotations: the plan, the Secrets' names, the namespaces.
package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/report"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

// Exit codes of the manager program.
const (
	exitFailed     = 1
	exitUsage      = 2
	exitTerminated = 143
)

// ErrTerminated is the cause of a context that ended because the kubelet asked the container to end.
var ErrTerminated = errors.New("the Pod is being terminated")

// stampLimit is how long a failing helper tries to tell the consumers. Its Pod has failed in any case.
const stampLimit = time.Minute

// Host is where the program runs; a rendered Pod has the contract's paths.
type Host struct {
	// Getenv reads a variable.
	Getenv func(string) string
	// IOFolder is the volume that the Pod's containers share, TokenFolder the projected token, Runner the program that
	// is copied for main.
	IOFolder, TokenFolder, Runner string
	// Reporter takes what is to be told.
	Reporter report.Reporter
	// Timing and Standing are how patient the helpers are. Zero means the defaults.
	Timing   cluster.Timing
	Standing time.Duration
}

// Main runs the subcommand and returns the exit code. The context is that of UntilTerminated.
func (h Host) Main(ctx context.Context, arguments []string) int {
	commands := map[string]func(context.Context, *task) error{
		contract.HelperInputs:  inputs,
		contract.HelperOutputs: outputs,
		contract.HelperCopy:    replicate,
		contract.HelperCleanup: cleanup,
	}
	if len(arguments) != 1 || commands[arguments[0]] == nil {
		h.Reporter.Fail(fmt.Sprintf("usage: manager %s|%s|%s|%s", contract.HelperInputs, contract.HelperOutputs,
			contract.HelperCopy, contract.HelperCleanup))
		return exitUsage
	}
	task, err := h.task()
	if err != nil {
		h.Reporter.Fail(err.Error())
		return exitFailed
	}
	if err := commands[arguments[0]](ctx, task); err != nil {
		h.Reporter.Fail(fmt.Sprintf("step %q: %v", task.plan.Step, err))
		if errors.Is(err, ErrTerminated) {
			return exitTerminated
		}
		return exitFailed
	}
	return 0
}

// UntilTerminated returns a context that ends when the kubelet asks the container to end.
func UntilTerminated(parent context.Context) context.Context {
	ctx, terminate := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		terminate(ErrTerminated)
	}()
	return ctx
}

// wait waits for the producers as All does.
func (t *task) wait(ctx context.Context, producers []wait.Producer, arrived func(int, *cluster.Secret) error) error {
	for _, producer := range producers {
		t.host.Reporter.Say(fmt.Sprintf("waiting for step %q to publish to secret %q", producer.Step, producer.Secret.Name))
	}
	return wait.Wait{Client: t.client, Standing: t.host.Standing}.All(ctx, producers, arrived)
}

// fail stamps the step's failure, so that its consumers stop, and returns err. A Pod that is being terminated stamps
// nothing: it may be evicted, and another Pod take its place.
func (t *task) fail(ctx context.Context, err error) error {
	if err == nil || t.output.Name == "" || ctx.Err() != nil {
		return err
	}
	limited, stop := context.WithTimeout(ctx, stampLimit)
	defer stop()
	if unstamped := t.record().Fail(limited); unstamped != nil {
		t.host.Reporter.Say(fmt.Sprintf("the failure cannot be stamped, so consumers wait for their deadline: %v", unstamped))
	}
	return err
}
