// Package status reports whether the steps of a render are ready in a cluster. The rules are those of Template, which works
// with kubectl alone; Render executes it for each resource, and knows which objects should exist:
//
//	render, err := status.NewRender(items)
//	live := … // the output of kubectl get -f - -o json --ignore-not-found, given render.Query()
//	report, err := render.Judge(live)
package status

import (
	_ "embed"
	"errors"
	"slices"
)

// Template is a template for kubectl get -o go-template-file. It prints the state of each step and helper of what it gets.
//
//go:embed status.gotemplate
var Template string

// State is how far a step, or a whole render, is.
type State string

// The states. Template describes them.
const (
	Failed     State = "Failed"
	Stale      State = "Stale"
	Missing    State = "Missing"
	InProgress State = "InProgress"
	Ready      State = "Ready"
)

// states are the states, the one that counts first for a whole render first.
var states = []State{Failed, Stale, Missing, InProgress, Ready}

// NeedsUser reports whether waiting does not help: somebody must fix the step, or run it again.
func (s State) NeedsUser() bool { return s == Failed || s == Stale }

// Step is the state of a step or helper.
type Step struct {
	State State `json:"state"`
	// Step is SANDBOX/RESOURCE/STEP, of the labels.
	Step      string `json:"step"`
	Namespace string `json:"namespace"`
	// Object is job/NAME or pod/NAME, or "-" for a Secret whose step has neither.
	Object string `json:"object"`
	// Detail says what the step waits for, why it has failed, and what to do.
	Detail string `json:"detail,omitempty"`
	// Containers are those that failed.
	Containers []Container `json:"containers,omitempty"`
}

// Report is the state of a render.
type Report struct {
	Status State  `json:"status"`
	Steps  []Step `json:"steps"`
}

// errNoSteps is about a render that can never be ready.
var errNoSteps = errors.New("there is no rendered Job or Pod to wait for")

// summarize sets the status of the whole render.
func (r *Report) summarize() {
	r.Status = Missing
	for _, state := range states {
		if slices.ContainsFunc(r.Steps, func(s Step) bool { return s.State == state }) {
			r.Status = state
			return
		}
	}
}
