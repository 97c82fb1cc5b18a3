package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Job has the fields of a Job that the helpers read.
type Job struct{ Status JobStatus }

// JobStatus has the fields of a Job's status that the helpers read.
type JobStatus struct {
	// StartTime is set when Kubernetes has tried to create a Pod.
	StartTime time.Time `json:"startTime"`
	// Active is the number of Pods that have not ended, and Ready the number of those with all containers running.
	Active int `json:"active"`
	Ready  int `json:"ready"`
	// Conditions include how a Job ended.
	Conditions []Condition `json:"conditions"`
}

// Complete is the end of a Job that has succeeded.
const Complete = "complete"

// End returns how the Job ended, or "" if it has not: Complete, or "failed" with the reason.
func (j *Job) End() string {
	for _, condition := range j.Status.Conditions {
		switch {
		case condition.Status != "True":
		case condition.Type == "Complete":
			return Complete
		case condition.Type == "Failed":
			return fmt.Sprintf("failed (%s: %s)", condition.Reason, condition.Message)
		}
	}
	return ""
}

// WatchJob is Watch for a Job. The kind of ref must be KindJob.
func (c *Client) WatchJob(ctx context.Context, ref Ref, changed func(*Job) (done bool, err error)) error {
	return c.watch(ctx, ref, func(object *watchedObject) (bool, error) {
		if object == nil {
			return changed(nil)
		}
		job := &Job{}
		if err := json.Unmarshal(object.Status, &job.Status); err != nil && len(object.Status) > 0 {
			return false, &Failure{Verb: "watch", Object: ref, Reason: "an event must be a Job as JSON"}
		}
		return changed(job)
	})
}
