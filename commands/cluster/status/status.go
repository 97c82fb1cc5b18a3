// Package status reports the state of each step of sandboxes in a cluster: ready, running, waiting or failed, with the
// reason, and objects that are left over. The rules use the tasks of workloads, whose states the engines know, and the
// Secrets with their outputs; Pods and events explain why a step does not progress. Template implements the same rules for
// users who have only kubectl. Objects holds the existing objects:
//
//	var objects status.Objects
//	err := objects.Read(dump) // the output of kubectl get jobs,pods,secrets,events -o json
//	report := objects.Judge([]string{"shop"})
//
// A Render also knows which objects should exist:
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

// Template is a template for kubectl get -o go-template-file. It prints the state of each step and helper.
//
//go:embed status.gotemplate
var Template string

// State is the state of a step or of a whole render.
type State string

// States of steps; Template describes them.
const (
	Blocked    State = "Blocked" // only with a cluster that is compared with plans: Template does not have it
	Failed     State = "Failed"
	Stale      State = "Stale"
	Missing    State = "Missing"
	Unknown    State = "Unknown" // of a Job that may have been removed after its end: Template says Missing
	InProgress State = "InProgress"
	Ready      State = "Ready"
)

// states are all states. The first one that a step has is the state of the whole render.
var states = []State{Blocked, Failed, Stale, Missing, Unknown, InProgress, Ready}

// NeedsUser reports whether waiting does not help: the step must be fixed, run again or given up.
func (s State) NeedsUser() bool { return s == Blocked || s == Failed || s == Stale }

// Step is the state of a step or helper.
type Step struct {
	State State `json:"state"`
	// Step is SANDBOX/RESOURCE/STEP, from the labels.
	Step     string `json:"step"`
	Sandbox  string `json:"sandbox"`
	Resource string `json:"resource"`
	// Phase is create or delete.
	Phase string `json:"phase,omitempty"`
	// Helper is copy, cleanup or forks, empty for a step.
	Helper    string `json:"helper,omitempty"`
	Namespace string `json:"namespace"`
	// Object is KIND/NAME of the workload, such as job/NAME; "-" for a Secret whose step has no workload.
	Object string `json:"object"`
	// Since is when the step ended, or otherwise when it started.
	Since *metav1.Time `json:"since,omitempty"`
	// Producers are the steps that must publish before this one starts; WaitsFor are those that have not.
	Producers []string `json:"producers,omitempty"`
	WaitsFor  []string `json:"waitsFor,omitempty"`
	// Detail explains why the step waits or has failed, and how to fix it.
	Detail string `json:"detail,omitempty"`
	// Containers are the failed containers.
	Containers []Container `json:"containers,omitempty"`
	// Causes are the reasons why the step does not run, such as an image that cannot be pulled.
	Causes []Cause `json:"causes,omitempty"`

	task *task // nil if its workload is unknown
}

// Cause is what Kubernetes or an engine reports about a workload or Pod that does not progress.
type Cause = engine.Cause

// LeftOver is an object that no step of the current render needs.
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
	// Unknown lists missing information, with the reason.
	Unknown []string `json:"unknown,omitempty"`
}

// errNoSteps is the error for a render without workloads.
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
