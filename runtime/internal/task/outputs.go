package task

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/handover"
)

// glance is how often the output manager looks whether main has started. Its end is not polled for.
const glance = 20 * time.Millisecond

// outputs is the container beside main: it waits for the end of the script and publishes what it left, or stamps the
// failure. It fails whenever nothing was published, so that the Pod cannot look successful.
func outputs(ctx context.Context, t *task) error {
	folder, err := handover.Open(t.host.IOFolder)
	if err != nil {
		return err
	}
	if folder.Marked(contract.PublishedFile) {
		t.host.Reporter.Say(fmt.Sprintf("step %q: generation %s is published already", t.plan.Step, t.plan.Generation))
		return nil
	}
	values, err := t.collect(ctx, folder)
	if err != nil {
		return t.fail(ctx, err)
	}
	// The outputs exist nowhere else: a Pod that is asked to end publishes them as long as it is let.
	if err := t.record().Publish(context.WithoutCancel(ctx), values); err != nil {
		return t.fail(ctx, fmt.Errorf("the outputs cannot be published: %w", err))
	}
	t.host.Reporter.Say(fmt.Sprintf("step %q: published %d outputs to secret %q", t.plan.Step, len(values), t.output.Name))
	return nil
}

// collect returns the outputs of a script that has ended well.
func (t *task) collect(ctx context.Context, folder *handover.Folder) (map[string][]byte, error) {
	if err := t.started(ctx, folder); err != nil {
		return nil, err
	}
	lock, err := folder.Take()
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	code, err := folder.Exit()
	if err != nil {
		return nil, err
	}
	if code != 0 {
		return nil, fmt.Errorf("main ended with exit code %d: its termination message says why", code)
	}
	return folder.Outputs(t.plan.Outputs)
}

// started returns nil once the runner has started. When it does not in time, it is told never to.
func (t *task) started(ctx context.Context, folder *handover.Folder) error {
	limit := t.startTimeout()
	t.host.Reporter.Say(fmt.Sprintf("step %q: waiting for main to start within %s", t.plan.Step, limit))
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for !folder.Marked(contract.StartedFile) {
		select {
		case <-tick.C:
		case <-timeout.C:
			return abandon(folder, fmt.Errorf("main did not start within %s: its command and image must be right, and the "+
				"image must be pulled in that time", limit))
		case <-ctx.Done():
			return abandon(folder, context.Cause(ctx))
		}
	}
	return nil
}

// abandon forbids the runner to start, unless it has done so in this moment. The lock decides.
func abandon(folder *handover.Folder, cause error) error {
	lock, err := folder.Try()
	if errors.Is(err, handover.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	if folder.Marked(contract.StartedFile) {
		return nil
	}
	return errors.Join(cause, folder.Mark(contract.AbandonedFile))
}

func (t *task) startTimeout() time.Duration {
	seconds := t.plan.StartTimeoutSeconds
	if seconds <= 0 {
		seconds = contract.DefaultStartTimeoutSeconds
	}
	return time.Duration(seconds) * time.Second
}
