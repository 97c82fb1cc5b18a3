// Package manager is the program of the helper containers and Jobs around a step's script, and of the Jobs for packages and
// for the expiry of sandboxes, with one subcommand for each.
// It is configured by environment variables. Those with names of Secrets and namespaces are taken from the Pod's
// annotations and metadata, which a kustomize overlay can still change after rendering.
package manager

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/termination"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// Exit codes of the manager program.
const (
	exitFailed = 1
	exitUsage  = 2
)

// failTimeout limits how long a failing helper tries to record the failure.
const failTimeout = time.Minute

// Host is the environment of the program. Tests replace the paths that a rendered Pod has.
type Host struct {
	// Getenv returns the value of an environment variable.
	Getenv func(string) string
	// IOFolder is the shared volume of the Pod, TokenFolder that of the projected token, Runner the program that is
	// copied for main.
	IOFolder, TokenFolder, Runner string
	// PackageObjects is the file with the objects of an unpacked package.
	PackageObjects string
	// Reporter writes the messages.
	Reporter runner.Reporter
	// Timing is the timing of the client, and FailureGrace that of wait.Wait. Zero means the defaults.
	Timing       cluster.Timing
	FailureGrace time.Duration
	// TerminationGrace is how long the output manager waits for SIGTERM after main got a signal that ends a Pod, before it
	// records a failure. 0 means 10 s.
	TerminationGrace time.Duration
	// Now returns the time of the node's clock. nil means time.Now.
	Now func() time.Time
}

// Run runs a subcommand and returns the exit code. ctx comes from termination.Context.
func (h Host) Run(ctx context.Context, arguments []string) int {
	commands := map[string]func(context.Context, *task) error{
		contract.HelperInputs:  inputs,
		contract.HelperOutputs: outputs,
		contract.HelperCopy:    copyOutputs,
		contract.HelperCleanup: cleanup,
		contract.HelperForks:   forks,
	}
	if len(arguments) != 1 {
		return h.usage()
	}
	command := arguments[0]
	switch command {
	case expiry.Helper:
		return h.expire(ctx)
	case unpacking.Apply, unpacking.Delete:
		return h.changePackage(ctx, command)
	}
	if commands[command] == nil {
		return h.usage()
	}
	task, err := h.task()
	if err != nil {
		h.Reporter.Fail(err.Error())
		return exitFailed
	}
	if err := commands[command](ctx, task); err != nil {
		h.Reporter.Fail(fmt.Sprintf("step %q: %v", task.plan.Step, err))
		return exitCode(err)
	}
	return 0
}

func (h Host) usage() int {
	h.Reporter.Fail("usage: manager " + strings.Join([]string{
		contract.HelperInputs, contract.HelperOutputs, contract.HelperCopy, contract.HelperCleanup, contract.HelperForks,
		expiry.Helper, unpacking.Apply, unpacking.Delete,
	}, "|"))
	return exitUsage
}

func exitCode(err error) int {
	switch {
	case errors.Is(err, termination.Err):
		return termination.ExitCode
	case makesRoom(err):
		return contract.ExitWaited
	default:
		return exitFailed
	}
}

// makesRoom reports whether a Pod ends only to make room for another one.
func makesRoom(err error) bool {
	var notRunning *wait.NotRunning
	return errors.As(err, &notRunning)
}

// wait waits for the producers, as wait.Wait.All does.
func (t *task) wait(ctx context.Context, producers []wait.Producer, onPublished func(int, *cluster.Secret) error) error {
	for _, producer := range producers {
		t.host.Reporter.Log(fmt.Sprintf("waiting for step %q to publish to secret %q", producer.Step, producer.Secret.Name))
	}
	return wait.Wait{
		Client: t.client, FailureGrace: t.host.FailureGrace, ApplyTimeout: t.host.Timing.ApplyTimeout,
		Limit: time.Duration(t.plan.WaitSeconds) * time.Second, Ancestors: t.ancestors(), Log: t.host.Reporter.Log,
	}.All(ctx, producers, onPublished)
}

// fail records the step's failure, so that its consumers stop at once, and returns err. A Pod that is being terminated
// or makes room records nothing: its Job replaces it or fails. Nor does one that cannot write the Secret: its consumers
// stop when the Job has failed.
func (t *task) fail(ctx context.Context, err error) error {
	if err == nil || t.output.Name == "" || ctx.Err() != nil || makesRoom(err) || t.isUnwritable(err) {
		return err
	}
	limited, stop := context.WithTimeout(ctx, failTimeout)
	defer stop()
	if failErr := t.record().Fail(limited); failErr != nil {
		t.host.Reporter.Log(fmt.Sprintf("cannot record the failure, consumers end when the Job has failed: %v", failErr))
	}
	return err
}

// isUnwritable reports whether the failure is that the step's own Secret is missing or denied, which was retried already.
func (t *task) isUnwritable(err error) bool {
	var failure *cluster.Failure
	return errors.As(err, &failure) && failure.MayBeUnapplied() && failure.Object == t.output
}
