package wait

import (
	"context"
	"fmt"
	"time"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// noPodLimit is the limit for a producer whose Job cannot create a Pod, probably because waiting Pods use up a quota.
// Kubernetes replaces a Pod that ends within 10 s after its start when those are over, the next one after 20 s, and so on.
// It replaces one that ends later at once, before any other Job can use the place, and does not count it: see
// getFinishedTime and flushUncountedAndRemoveFinalizers in
// https://github.com/kubernetes/kubernetes/blob/v1.34.3/pkg/controller/job/job_controller.go.
const noPodLimit = 5 * time.Second

// followJob watches the Job of a producer until ctx ends. It ends the wait some time after the Job has ended, and pauses the
// limit while the Job has a running Pod. Without the permission to watch the Job the limit applies.
func (w Wait) followJob(ctx context.Context, producer Producer, limit *countdown, stop context.CancelCauseFunc) {
	var grace *time.Timer // runs while the Job has ended
	err := w.Client.WatchJob(ctx, producer.Job, func(job *cluster.Job) (bool, error) {
		stopTimer(grace)
		if job == nil { // deleted
			limit.run(w.Limit)
			return false, nil
		}
		end := job.End()
		switch {
		case job.Status.Ready > 0:
			limit.pause()
		case job.Status.Active == 0 && job.Status.StartTime != "" && end == "":
			limit.run(min(w.Limit, noPodLimit))
		default:
			limit.run(w.Limit)
		}
		if end != "" {
			ended := &Ended{Step: producer.Step, Job: producer.Job, Secret: producer.Secret, End: end}
			grace = time.AfterFunc(w.grace(), func() { stop(ended) })
		}
		return false, nil
	})
	stopTimer(grace)
	if ctx.Err() == nil {
		limit.run(w.Limit)
		w.Log(fmt.Sprintf("cannot follow the Job of step %q, the wait goes on: %v", producer.Step, err))
	}
}

// countdown calls a function when its time is over. It starts again from the beginning after a pause and with another time.
// A nil countdown never ends.
type countdown struct {
	length time.Duration // 0 while it is paused
	timer  *time.Timer
}

// newCountdown starts a countdown. Without a length it returns nil.
func newCountdown(length time.Duration, over func()) *countdown {
	if length <= 0 {
		return nil
	}
	return &countdown{length: length, timer: time.AfterFunc(length, over)}
}

func (c *countdown) pause() {
	if c != nil {
		c.timer.Stop()
		c.length = 0
	}
}

func (c *countdown) run(length time.Duration) {
	if c != nil && c.length != length {
		c.timer.Reset(length)
		c.length = length
	}
}
