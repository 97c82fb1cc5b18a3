package status

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// teardownWorld simulates a teardown that began at any time of the create phase: "drop" reads "make", and the cleanup removes
// the Secrets. The record has the state outside of the cluster.
type teardownWorld struct {
	random              *rand.Rand
	make, drop, cleanup string // the ends of Jobs; "none" if it does not exist
	made, dropped       string // the stamps of the Secrets; "none" if one does not exist
	ledger              bool
}

func (w *teardownWorld) act() {
	switch w.random.IntN(7) {
	case 0: // the create phase runs, and may fail halfway
		switch {
		case w.make != "ready":
		case w.made == "new": // a step that has published does not run again
			w.make = "Complete"
		case w.made == "none": // and none runs whose Secret the cleanup has deleted
			w.make = "Failed"
		default:
			w.ledger = true
			if w.make = "Failed"; w.random.IntN(2) > 0 {
				w.make, w.made = "Complete", "new"
			}
		}
	case 1: // pruned
		w.make = "none"
	case 2: // create again
		if w.made != "none" && w.make != "Complete" {
			w.make = "ready"
		}
	case 3: // the delete phase is run again
		if w.drop == "Failed" {
			w.drop, w.cleanup = "ready", "ready"
		}
	default:
		switch {
		case w.drop == "ready" && w.made == "new":
			w.ledger, w.drop, w.dropped = false, "Complete", "new"
		case w.drop == "ready" && w.make == "Failed":
			w.drop, w.cleanup = "Failed", "Failed"
		case w.cleanup == "ready" && w.dropped == "new":
			w.cleanup, w.made, w.dropped = "Complete", "none", "none"
		}
	}
}

func (w *teardownWorld) objects(rendered bool) (all []manifest) {
	add := func(exists bool, o manifest) {
		if exists || rendered {
			all = append(all, o)
		}
	}
	if !rendered {
		add(w.make != "none", job("create", "make", w.make))
	}
	stamp := func(s string) string { return map[bool]string{true: "", false: s}[rendered || s == "none"] }
	add(w.made != "none", secret("create", "make", stamp(w.made)))
	add(w.dropped != "none", secret("delete", "drop", stamp(w.dropped)))
	plan := contract.Plan{Producers: []contract.Producer{{Step: "make", Inputs: []contract.Input{{Output: "url"}}}}}
	add(true, planned(job("delete", "drop", w.drop, "of-make"), plan))
	add(true, helper("delete", "cleanup", w.cleanup, nil, "of-drop", "of-make"))
	return all
}

// In no world is a teardown Ready while something exists, nor Blocked while it can go on without the user.
func TestStatus_agreesWithTheLedgerOfTeardowns(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	found := map[State]int{}
	for i := range 1000 {
		w := &teardownWorld{random: random, make: "ready", drop: "ready", cleanup: "ready"}
		for range 1 + random.IntN(14) {
			w.act()
		}
		render, err := renderOf(t, w.objects(true)...)
		require.NoError(t, err)
		exists := list(t, w.objects(false)...)
		for _, report := range []*Report{render.Judge(exists), exists.Judge(nil)} {
			found[report.Status]++
			switch report.Status {
			case Ready:
				require.False(t, w.ledger, "world %d: %+v %+v", i, w, report.Steps)
			case Blocked:
				require.True(t, w.made == "" && w.make != "ready", "world %d: %+v %+v", i, w, report.Steps)
			case InProgress:
				canGoOn := w.made != "" || w.make == "ready"
				require.True(t, canGoOn, "world %d: %+v %+v", i, w, report.Steps)
			}
		}
	}
	for _, state := range []State{Ready, Blocked, InProgress} {
		assert.Greater(t, found[state], 50, "%s: %v", state, found)
	}
}
