package status

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// plainWorld simulates a cluster with a plugin without outputs: "mk" creates with a param, "rm" deletes. The record has
// the Job that ran last, which status does not see. Renders are applied always with or always without pruning: nothing
// shows that the Job of another render was removed by hand.
type plainWorld struct {
	random     *rand.Rand
	prune, ttl bool
	render     string // applied last: "one", "two" or "rm"
	jobs       map[string]*plainJob
	clock      int
	ledger     string
}

type plainJob struct {
	end         string
	made, ended int
}

func (w *plainWorld) apply(render string) {
	w.render = render
	if w.prune {
		maps.DeleteFunc(w.jobs, func(name string, _ *plainJob) bool { return name != render })
	}
	if w.jobs[render] == nil {
		w.jobs[render] = &plainJob{end: "ready", made: w.clock}
	}
}

func (w *plainWorld) act() {
	w.clock += w.random.IntN(2) // two things may happen in one second
	switch w.random.IntN(6) {
	case 0, 1:
		w.apply([]string{"one", "two", "rm"}[w.random.IntN(3)])
	case 2:
		delete(w.jobs, w.render) // the command of a stale step
		w.apply(w.render)
	case 3:
		if w.ttl { // those of earlier ends are gone first
			maps.DeleteFunc(w.jobs, func(_ string, j *plainJob) bool { return j.end != "ready" })
		}
	default:
		w.clock++ // a Pod takes longer than the resolution of the times of Jobs
		for _, name := range slices.Sorted(maps.Keys(w.jobs)) {
			if j := w.jobs[name]; j.end == "ready" {
				w.ledger, j.end, j.ended = name, "Complete", w.clock
				if w.random.IntN(6) == 0 {
					w.ledger, j.end = "half of "+name, "Failed"
				}
			}
		}
	}
}

func (w *plainWorld) job(name, end string, at, endedAt int) manifest {
	phase, step := "create", "mk"
	if name == "rm" {
		phase, step = "delete", "rm"
	}
	j := made(named(without(job(phase, step, end)), name), second(at))
	if w.ttl {
		withTTL(j)
	}
	if end == "Complete" || end == "Failed" {
		ended(j, second(endedAt))
	}
	return j
}

// In no world of steps without outputs is status Ready while something else has run last.
func TestStatus_agreesWithTheLedgerOfPlainSteps(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	found := map[State]int{}
	for i := range 1000 {
		w := &plainWorld{random: random, prune: random.IntN(2) > 0, ttl: random.IntN(2) > 0, jobs: map[string]*plainJob{}}
		w.apply("one")
		for range 2 + random.IntN(14) {
			w.act()
		}
		render, err := renderOf(t, w.job(w.render, "", 0, 0))
		require.NoError(t, err)
		var exists []manifest
		for _, name := range slices.Sorted(maps.Keys(w.jobs)) {
			exists = append(exists, w.job(name, w.jobs[name].end, w.jobs[name].made, w.jobs[name].ended))
		}
		report := render.Judge(list(t, exists...))
		found[report.Status]++
		if report.Status == Ready {
			require.Equal(t, w.render, w.ledger, "world %d: %+v %+v", i, w, report.Steps)
		}
		if report.Status == Stale {
			require.Len(t, w.jobs, min(3, max(2, len(w.jobs))), "only another Job makes a complete one stale")
		}
	}
	for _, state := range []State{Ready, Stale, Unknown, Failed, InProgress} {
		assert.Greater(t, found[state], 20, "%s: %v", state, found)
	}
}
