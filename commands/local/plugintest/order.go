package plugintest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// noIndependent is why the check any-order is skipped.
const noIndependent = "no steps of a phase are independent"

// waitsFor returns the steps of a phase with the steps of the same phase whose outputs they read.
func waitsFor(steps []v1alpha1.Step) map[string][]string {
	all := map[string][]string{}
	for _, step := range steps {
		all[step.Name] = nil
		for _, in := range step.Inputs {
			isSame := func(s v1alpha1.Step) bool { return in.ValueFromStep != nil && s.Name == in.ValueFromStep.Name }
			if slices.ContainsFunc(steps, isSame) {
				all[step.Name] = append(all[step.Name], in.ValueFromStep.Name)
			}
		}
	}
	return all
}

// orderOf returns the steps of a phase in an order in which each one follows those that it reads. Of those that are ready,
// choose selects the next one.
func orderOf(steps []v1alpha1.Step, choose func(ready []string) int) (order []string) {
	waiting := waitsFor(steps)
	for len(order) < len(steps) {
		var ready []string
		for _, step := range steps {
			isDone := func(name string) bool { return slices.Contains(order, name) }
			if !isDone(step.Name) && !slices.ContainsFunc(waiting[step.Name], func(name string) bool { return !isDone(name) }) {
				ready = append(ready, step.Name)
			}
		}
		if len(ready) == 0 { // a cycle, which rplug validate reports
			return order
		}
		order = append(order, ready[choose(ready)])
	}
	return order
}

// hasIndependent reports whether steps of a phase may run in several orders.
func hasIndependent(steps []v1alpha1.Step) bool {
	first := orderOf(steps, func([]string) int { return 0 })
	last := orderOf(steps, func(ready []string) int { return len(ready) - 1 })
	return !slices.Equal(first, last)
}

// gate delays the steps of a phase. In an order, each one waits for those before it; if a step fails, none waits any more,
// since those that read its outputs never run.
type gate struct {
	delay func(step string) time.Duration // nil for none
	order []string                        // empty for any
	ended map[string]chan struct{}
	open  chan struct{}
	once  sync.Once
}

func newGate(order []string, delay func(string) time.Duration) *gate {
	g := &gate{order: order, delay: delay, ended: map[string]chan struct{}{}, open: make(chan struct{})}
	for _, step := range order {
		g.ended[step] = make(chan struct{})
	}
	return g
}

// enter waits until a step may run.
func (g *gate) enter(ctx context.Context, step string) error {
	for _, before := range g.order[:max(0, slices.Index(g.order, step))] {
		select {
		case <-g.ended[before]:
		case <-g.open:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if g.delay == nil {
		return nil
	}
	select {
	case <-time.After(g.delay(step)):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave lets the following steps run. It is called once for each step that succeeds.
func (g *gate) leave(step string, succeeded bool) {
	switch ended, isKnown := g.ended[step]; {
	case !succeeded:
		g.once.Do(func() { close(g.open) })
	case isKnown:
		close(ended)
	}
}

// ordering is a way to run the steps of a phase.
type ordering struct {
	what string
	gate func(steps []v1alpha1.Step) *gate
}

// Limits of random delays. They are long enough that another step of the phase may be complete.
const (
	minDelay = 50 * time.Millisecond
	maxDelay = 2 * time.Second
)

// orderings returns the ways: each step as late as possible, then delayed at random.
func (r *caseRun) orderings() []ordering {
	name := fnv.New64()
	_, _ = name.Write([]byte(r.test.Name + "/" + r.testCase.Name))
	random := rand.New(rand.NewPCG(r.suite.options.Seed, name.Sum64())) //nolint:gosec // not for secrets
	var mu sync.Mutex
	most := minDelay
	for _, took := range r.took {
		most = min(max(most, 2*took), maxDelay)
	}
	last := func(ready []string) int { return len(ready) - 1 }
	return []ordering{
		{"one at a time, the last ones first", func(steps []v1alpha1.Step) *gate { return newGate(orderOf(steps, last), nil) }},
		{fmt.Sprintf("delayed at random (--seed %d)", r.suite.options.Seed), func([]v1alpha1.Step) *gate {
			return newGate(nil, func(string) time.Duration {
				mu.Lock()
				defer mu.Unlock()
				return time.Duration(random.Int64N(int64(most)))
			})
		}},
	}
}

// anyOrder runs both phases in other orders, each time in a new round.
func (r *caseRun) anyOrder(ctx context.Context) (messages []string, logs []Log) {
	for _, ordering := range r.orderings() {
		if ctx.Err() != nil {
			break
		}
		l, err := r.begin(ctx)
		if err != nil {
			messages, logs = append(messages, err.Error()), append(logs, logsOf(err)...)
		} else {
			l.engine.ordering = ordering.gate
			more, of := r.inOrder(ctx, l)
			for _, message := range more {
				messages = append(messages, "with the steps "+ordering.what+": "+message)
			}
			logs = append(logs, of...)
		}
		r.end(l)
	}
	return messages, logs
}

// inOrder runs the phases as the case describes.
func (r *caseRun) inOrder(ctx context.Context, l *round) ([]string, []Log) {
	got := l.run(ctx, v1alpha1.PhaseCreate, false)
	messages, logs := compare(&r.testCase.Create, got), got.logs()
	if len(messages) == 0 && r.testCase.Create.Check != "" {
		messages, logs = l.check(ctx, v1alpha1.PhaseCreate)
	}
	if len(messages) > 0 {
		order := make([]string, 0, len(got.steps))
		for _, step := range l.engine.started {
			order = append(order, fmt.Sprintf("%q", step))
		}
		return append(messages, "the steps ran in the order "+strings.Join(order, ", ")), logs
	}
	if r.testCase.Delete.Fails != nil {
		return nil, nil
	}
	return l.deletes(ctx)
}
