package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// Sandbox is the state of a sandbox in a cluster.
type Sandbox struct {
	State   State  `json:"state"`
	Sandbox string `json:"sandbox"`
	// Resources are the states of its resources, in the order of their steps.
	Resources []Resource `json:"resources"`
	// Namespaces are those of its steps, sorted.
	Namespaces []string `json:"namespaces"`
	// Since is the time of the newest start or end of a step.
	Since *metav1.Time `json:"since,omitempty"`
	// LeftOver is the number of objects that no step needs.
	LeftOver int `json:"leftOver"`
}

// Resource is the state of a resource of a sandbox.
type Resource struct {
	Resource string `json:"resource"`
	// Phase is that of its steps: create or delete.
	Phase string `json:"phase,omitempty"`
	State State  `json:"state"`
}

// Sandboxes returns the state of each sandbox, in the order of the report.
func (r *Report) Sandboxes() []*Sandbox {
	all := []*Sandbox{}
	find := func(name string) *Sandbox {
		at := slices.IndexFunc(all, func(s *Sandbox) bool { return s.Sandbox == name })
		if at < 0 {
			at = len(all)
			all = append(all, &Sandbox{Sandbox: name, State: Ready, Resources: []Resource{}, Namespaces: []string{}})
		}
		return all[at]
	}
	for i := range r.Steps {
		find(r.Steps[i].Sandbox).add(&r.Steps[i])
	}
	for _, left := range r.LeftOver {
		find(left.Sandbox).LeftOver++
	}
	return all
}

func (s *Sandbox) add(step *Step) {
	s.State = worse(s.State, step.State)
	if at, known := slices.BinarySearch(s.Namespaces, step.Namespace); !known {
		s.Namespaces = slices.Insert(s.Namespaces, at, step.Namespace)
	}
	if step.Since != nil && (s.Since == nil || s.Since.Before(step.Since)) {
		s.Since = step.Since
	}
	at := slices.IndexFunc(s.Resources, func(r Resource) bool { return r.Resource == step.Resource })
	if at < 0 {
		at = len(s.Resources)
		s.Resources = append(s.Resources, Resource{Resource: step.Resource, State: Ready})
	}
	of := &s.Resources[at]
	of.State, of.Phase = worse(of.State, step.State), step.Phase
}

// worse returns the state of two that comes first in a report.
func worse(a, b State) State {
	return states[min(slices.Index(states, a), slices.Index(states, b))]
}

// SandboxesText returns a row for each sandbox, for people. Ages are relative to now.
func SandboxesText(sandboxes []*Sandbox, now metav1.Time, style report.Style) string {
	rows := make([][]string, 0, 1+len(sandboxes))
	rows = append(rows, []string{"STATE", "SANDBOX", "RESOURCES", "AGE", "NAMESPACES", "LEFT OVER"})
	for _, s := range sandboxes {
		rows = append(rows, s.row(now))
	}
	lines := align(rows)
	for i, s := range sandboxes {
		lines[i+1] = s.State.paint(style, lines[i+1])
	}
	return strings.Join(lines, "\n") + "\n"
}

func (s *Sandbox) row(now metav1.Time) []string {
	age := "-"
	if s.Since != nil {
		age = duration.HumanDuration(now.Sub(s.Since.Time))
	}
	resources := make([]string, len(s.Resources))
	for i, r := range s.Resources {
		resources[i] = fmt.Sprintf("%s (%s)", r.Resource, r.Phase)
	}
	return []string{
		string(s.State), s.Sandbox, strings.Join(resources, ", "), age, strings.Join(s.Namespaces, ", "), strconv.Itoa(s.LeftOver),
	}
}
