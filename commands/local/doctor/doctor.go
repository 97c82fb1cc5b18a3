// Package doctor checks whether this machine, a project and a cluster have what rplug needs. Machine, Project and Cluster
// return their checks:
//
//	found := doctor.Report{Checks: doctor.Machine(ctx)}
//	fmt.Print(found.Text(report.Style{}))
//	if found.Missing() { … }
package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// Parts are the subjects of checks.
const (
	PartMachine = "machine"
	PartProject = "project"
	PartCluster = "cluster"
)

// Parts returns all parts, in the order of the report.
func Parts() []string { return []string{PartMachine, PartProject, PartCluster} }

// State is the result of a check.
type State string

// States of checks.
const (
	OK State = "ok"
	// Warning is of something that only some commands need, or that cannot be known from here.
	Warning State = "warning"
	// Missing is of something that is needed.
	Missing State = "missing"
)

// Check is one thing that was looked at.
type Check struct {
	Part  string `json:"part"`
	State State  `json:"state"`
	// Subject was looked at, Detail is the finding, and Action the advice, which may be empty.
	Subject string `json:"subject"`
	Detail  string `json:"detail"`
	Action  string `json:"action,omitempty"`
}

// Report has the checks of all parts.
type Report struct {
	Checks []Check `json:"checks"`
}

// Missing reports whether something that is needed is missing.
func (r *Report) Missing() bool {
	return slices.ContainsFunc(r.Checks, func(c Check) bool { return c.State == Missing })
}

// Text returns a line for each check, below the name of its part.
func (r *Report) Text(style report.Style) string {
	var b strings.Builder
	part := ""
	for _, c := range r.Checks {
		if c.Part != part {
			part = c.Part
			b.WriteString(part + ":\n")
		}
		detail := c.Detail
		if c.Action != "" {
			detail += "; " + c.Action
		}
		fmt.Fprintf(&b, "  %s%s  %s: %s\n", c.State.paint(style), strings.Repeat(" ", len(Missing)-len(c.State)),
			report.Printable(c.Subject), report.Printable(detail))
	}
	return b.String()
}

func (s State) paint(style report.Style) string {
	switch s {
	case OK:
		return style.Success(string(s))
	case Missing:
		return style.Failure(string(s))
	case Warning:
	}
	return style.Pending(string(s))
}
