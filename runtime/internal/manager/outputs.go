package manager

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/publish"
)

// startPollInterval is how often the output manager checks whether main has started. It does not poll for main's end.
const startPollInterval = 20 * time.Millisecond

// terminationGrace is the default of Host.TerminationGrace.
const terminationGrace = 10 * time.Second

// outputs is the container next to main. It waits for the end of the script and publishes its outputs, or records the
// failure. It fails unless the outputs are published, so that a Pod without them never succeeds.
func outputs(ctx context.Context, t *task) error {
	volume, err := runner.OpenVolume(t.host.IOFolder)
	if err != nil {
		return err
	}
	if volume.HasMarker(contract.PublishedFile) {
		t.host.Reporter.Log(fmt.Sprintf("step %q: %s", t.plan.Step, contract.AlreadyPublished(t.plan.Generation)))
		return nil
	}
	values, err := t.collect(ctx, volume)
	record := t.record()
	if err == nil {
		record.Publication = publish.NewPublication()
		record.Reads, err = t.reads(volume)
	}
	if err != nil {
		t.awaitTermination(ctx, volume)
		return t.fail(ctx, err)
	}
	// Not interrupted by SIGTERM, since the outputs exist only here.
	if err := record.Publish(context.WithoutCancel(ctx), values); err != nil {
		return t.fail(ctx, fmt.Errorf("cannot publish the outputs: %w", err))
	}
	t.host.Reporter.Log(fmt.Sprintf("step %q: published %d outputs to secret %q", t.plan.Step, len(values), t.output.Name))
	return nil
}

// awaitTermination waits, if main got a signal that ends a Pod, until this container gets its own: the kubelet signals the
// containers of a Pod in any order. Nothing follows if the script has signalled main, as kill 0 does.
func (t *task) awaitTermination(ctx context.Context, volume *runner.Volume) {
	if !volume.HasMarker(contract.TerminatedFile) {
		return
	}
	grace := time.NewTimer(cmp.Or(t.host.TerminationGrace, terminationGrace))
	defer grace.Stop()
	select {
	case <-ctx.Done():
	case <-grace.C:
	}
}

// reads returns the publications from which the outputs were made.
func (t *task) reads(volume *runner.Volume) ([]string, error) {
	if len(t.plan.Producers) == 0 {
		return nil, nil
	}
	return volume.Reads()
}

// collect waits for the end of the script and returns its outputs.
func (t *task) collect(ctx context.Context, volume *runner.Volume) (map[string][]byte, error) {
	if err := t.waitForStart(ctx, volume); err != nil {
		return nil, err
	}
	lock, err := volume.Lock()
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	code, err := volume.Exit()
	if err != nil {
		return nil, err
	}
	if code != 0 {
		return nil, fmt.Errorf("main exited with %d: see its termination message", code)
	}
	return volume.Outputs(t.plan.Outputs)
}

// waitForStart waits until the runner has started. After the timeout it forbids the runner to start.
func (t *task) waitForStart(ctx context.Context, volume *runner.Volume) error {
	limit := t.startTimeout()
	t.host.Reporter.Log(fmt.Sprintf("step %q: waiting for main to start within %s", t.plan.Step, limit))
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	tick := time.NewTicker(startPollInterval)
	defer tick.Stop()
	for !volume.HasMarker(contract.StartedFile) {
		select {
		case <-tick.C:
		case <-timeout.C:
			return abandon(volume, fmt.Errorf("main did not start within %s: check its image and command, and whether the image "+
				"can be pulled in that time", limit))
		case <-ctx.Done():
			return abandon(volume, context.Cause(ctx))
		}
	}
	return nil
}

// abandon forbids the runner to start. It returns nil if the runner has the lock or has started meanwhile.
func abandon(volume *runner.Volume, cause error) error {
	lock, err := volume.TryLock()
	if errors.Is(err, runner.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if volume.HasMarker(contract.StartedFile) {
		return nil
	}
	return errors.Join(cause, volume.SetMarker(contract.AbandonedFile))
}

func (t *task) startTimeout() time.Duration {
	seconds := t.plan.StartTimeoutSeconds
	if seconds <= 0 {
		seconds = contract.DefaultStartTimeoutSeconds
	}
	return time.Duration(seconds) * time.Second
}
