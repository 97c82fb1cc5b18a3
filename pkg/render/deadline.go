package render

import (
	"math"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Durations without an option, in seconds.
const (
	// waitSeconds is the contract.Plan.WaitSeconds of Jobs. It exceeds the time for which a helper that waits for
	// producers retries requests denied for lack of a Role, which may be applied after the Job, so that a missing Role
	// is reported.
	waitSeconds = 90
	// backOffSeconds is the longest time after which Kubernetes replaces a Pod of a Job
	// (https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy).
	backOffSeconds = 600
)

// timeout is how long a script may run, in seconds.
func (c *compiledPhase) timeout() int {
	if own := c.overlay.Template.Spec.ActiveDeadlineSeconds; own != nil {
		return int(*own)
	}
	return c.options.StepTimeoutSeconds
}

// stepSeconds is how long a step may take once its Pod is on a node: until its producer runs, its image is there, and its
// script has ended.
func (c *compiledPhase) stepSeconds() int64 {
	return int64(c.timeout()) + int64(c.options.StartTimeoutSeconds) + waitSeconds
}

// podDeadline is how long a Pod may take that is the last of so many steps, one after the other. It is the last resort,
// since a Pod that it ends tells its consumers nothing: a runner has ended its script by then.
func (c *compiledPhase) podDeadline(steps int) int64 {
	if !c.traits.Waits {
		steps = 1
	}
	return times(c.stepSeconds(), steps)
}

// plainDeadline is how long a Pod may take that runs nothing but a script.
func (c *compiledPhase) plainDeadline() int64 { return int64(c.timeout()) }

// jobDeadline is how long a Job may take that is the last of so many steps, one after the other.
func (c *compiledPhase) jobDeadline(steps int) int64 {
	return c.options.JobDeadline(c.stepSeconds(), steps)
}

// JobDeadline is how long a Job may take that is the last of so many, one after the other, whose Pods take so many seconds:
// it ends Jobs whose Pods are never created, scheduled or started. It is longer than the deadline of the Pods, since it
// removes them with their messages.
func (o *Options) JobDeadline(podSeconds int64, jobs int) int64 {
	return times(times(podSeconds+backOffSeconds, o.Retries+1), jobs)
}

// limitWait limits how long a Pod waits for producers that do not run. Nothing would replace a Pod without a Job.
func (c *compiledPhase) limitWait(plan *contract.Plan, producers []*step) {
	if c.hasJobs && len(producers) > 0 {
		plan.WaitSeconds, plan.Ancestors = waitSeconds, len(c.ancestors(producers))
	}
}

// times multiplies; the result is at most the maximum that Kubernetes accepts as activeDeadlineSeconds of a Pod.
func times(seconds int64, n int) int64 {
	if seconds > math.MaxInt32/int64(n) {
		return math.MaxInt32
	}
	return seconds * int64(n)
}

// waitingContainer returns the container of a step that may end with contract.ExitWaited, or an empty string.
func (s *step) waitingContainer() string {
	if len(s.producers) == 0 {
		return ""
	}
	return contract.InputManager
}
