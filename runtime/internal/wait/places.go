package wait

import (
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// shortLimit is the limit for a producer that probably does not get a place on a node, because waiting Pods use up a quota
// or the nodes. If a Pod ends within 10 s of its start, Kubernetes replaces it after these 10 s, the next one after 20 s,
// and so on up to 600 s. A Pod that ends later is replaced at once, before another one can take the place, and is not
// counted: see getFinishedTime and flushUncountedAndRemoveFinalizers in
// https://github.com/kubernetes/kubernetes/blob/v1.34.3/pkg/controller/job/job_controller.go.
const shortLimit = 2 * time.Second

// places limits the wait for each producer depending on the states of Jobs: a Pod may keep its place while a Job that it
// waits for is running, since that Job will end.
type places struct {
	limit time.Duration
	mu    sync.Mutex
	jobs  map[string]*jobState
}

// jobState is the known state of a Job.
type jobState struct {
	job cluster.Job
	// timer ends the wait for a producer. It is nil for Jobs that only producers wait for.
	timer *time.Timer
	// length is the duration of the timer, 0 while it is stopped.
	length time.Duration
}

// add limits the wait for the producer with the Job; over ends the wait.
func (p *places) add(name string, over func()) {
	if p.limit <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs[name] = &jobState{timer: time.AfterFunc(p.limit, over), length: p.limit}
}

// remove ends the limit of a producer, and drops its Job, which no other producer waits for.
func (p *places) remove(name string) {
	p.change(name, func(state *jobState) {
		state.set(0)
		delete(p.jobs, name)
	})
}

// update changes the limits when the state of a Job changes. The zero value is a Job that does not exist.
func (p *places) update(name string, job cluster.Job) {
	p.change(name, func(state *jobState) { state.job = job })
}

func (p *places) change(name string, change func(*jobState)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.jobs[name] == nil {
		p.jobs[name] = &jobState{}
	}
	change(p.jobs[name])
	running := false
	for _, state := range p.jobs {
		running = running || state.job.Status.Ready > 0
	}
	for _, state := range p.jobs {
		state.set(state.limit(p.limit, running))
	}
}

// limit returns the time limit of the wait for the Job, or 0 for no limit: while it runs, or waits for a running Job. The
// limit is short if the Job cannot create a Pod, or was created longer ago than the limit.
func (s *jobState) limit(limit time.Duration, isOneRunning bool) time.Duration {
	status := &s.job.Status
	switch {
	case status.Ready > 0, status.Active > 0 && isOneRunning:
		return 0
	case status.StartTime.IsZero(), s.job.End() != "":
		return limit
	case status.Active == 0, time.Since(status.StartTime) > limit:
		return min(limit, shortLimit)
	default:
		return limit
	}
}

// set restarts the timer if its length changes.
func (s *jobState) set(length time.Duration) {
	if s.timer == nil || s.length == length {
		return
	}
	s.length = length
	if s.timer.Stop(); length > 0 {
		s.timer.Reset(length)
	}
}
