package wait

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// followJob watches a Job until ctx ends, and keeps its state in places. Without the permission to watch, the limit of
// the wait applies.
func (w Wait) followJob(ctx context.Context, ref cluster.Ref, places *places, changed func(*cluster.Job)) {
	err := w.Client.WatchJob(ctx, ref, func(job *cluster.Job) (bool, error) {
		if job == nil { // deleted
			job = &cluster.Job{}
		}
		places.update(ref.Name, *job)
		changed(job)
		return false, nil
	})
	if ctx.Err() == nil {
		places.update(ref.Name, cluster.Job{})
		w.Log(fmt.Sprintf("cannot follow the Jobs of other steps, the wait goes on: %v", err))
	}
}

// followProducer ends the wait some time after the Job of a producer has ended. If its Secret records a failure of the step,
// that failure is the reason, even if the end of the Job is seen first.
func (w Wait) followProducer(
	ctx context.Context, producer Producer, hasFailed *atomic.Bool, places *places, stop context.CancelCauseFunc,
) {
	var grace *time.Timer // runs while the Job has ended
	w.followJob(ctx, producer.Job, places, func(job *cluster.Job) {
		stopTimer(grace)
		if end := job.End(); end != "" {
			ended := &Ended{Step: producer.Step, Job: producer.Job, Secret: producer.Secret, End: end}
			grace = time.AfterFunc(w.grace(), func() {
				if hasFailed.Load() {
					stop(&Failed{Step: producer.Step})
					return
				}
				stop(ended)
			})
		}
	})
	stopTimer(grace)
}
