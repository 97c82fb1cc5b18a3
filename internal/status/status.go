// Package status reports what the phases of sandboxes are doing in a cluster: which steps are ready, run, wait or have
// failed, why, and what is left over. The rules look at the tasks of workloads, whose states the engines know, and at the
// Secrets of their outputs; Pods and events add why a step does not get on. Template has the same rules for kubectl alone.
// What exists is in Objects:
//
//	var objects status.Objects
//	err := objects.Read(dump) // the output of kubectl get jobs,pods,secrets,events -o json
//	report := objects.Judge([]string{"shop"})
//
// A Render knows more: which objects should exist.
//
//	render, err := status.NewRender(items)
//	report := render.Judge(&objects)
package status

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/engines"
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
	Step     string `json:"step"`
	Sandbox  string `json:"sandbox"`
	Resource string `json:"resource"`
	// Phase is create or delete.
	Phase string `json:"phase,omitempty"`
	// Helper is copy or cleanup, empty for a step.
	Helper    string `json:"helper,omitempty"`
	Namespace string `json:"namespace"`
	// Object is KIND/NAME of the workload, such as job/NAME; "-" for a Secret whose step has none.
	Object string `json:"object"`
	// Since is when the step has ended, or else when it was started.
	Since *metav1.Time `json:"since,omitempty"`
	// Producers are the steps that must have published before this one starts, and WaitsFor those that have not.
	Producers []string `json:"producers,omitempty"`
	WaitsFor  []string `json:"waitsFor,omitempty"`
	// Detail says what the step waits for, why it has failed, and what to do.
	Detail string `json:"detail,omitempty"`
	// Containers are those that failed.
	Containers []Container `json:"containers,omitempty"`
	// Causes are what keeps the step from running, such as an image that cannot be pulled.
	Causes []Cause `json:"causes,omitempty"`

	of *task // nil if nothing is known of it
}

// Cause is what Kubernetes or an engine says of a workload or Pod that does not get on.
type Cause = engine.Cause

// LeftOver is an object that no step of the present render needs.
type LeftOver struct {
	Object    string `json:"object"` // KIND/NAME
	Namespace string `json:"namespace"`
	Sandbox   string `json:"sandbox"`
	Resource  string `json:"resource"`
	Reason    string `json:"reason"`
}

// Report is the state of sandboxes, or of a render.
type Report struct {
	Status State  `json:"status"`
	Steps  []Step `json:"steps"`
	// LeftOver are objects that can be deleted, or are being deleted.
	LeftOver []LeftOver `json:"leftOver,omitempty"`
	// Unknown says what could not be read, and why.
	Unknown []string `json:"unknown,omitempty"`
}

// errNoSteps is about a render that can never be ready.
func errNoSteps() error {
	kinds := engines.Workloads()
	last := len(kinds) - 1
	return fmt.Errorf("there is no rendered %s or %s to wait for", strings.Join(kinds[:last], ", "), kinds[last])
}

// summary returns the status of all steps together.
func (r *Report) summary() State {
	for _, state := range states {
		if slices.ContainsFunc(r.Steps, func(s Step) bool { return s.State == state }) {
			return state
		}
	}
	return Missing
}
