// Package check runs the cases of package suite with a function, and judges its behaviour. Its main type is Suite; Run
// returns an Outcome for each case.
package check

import (
	"errors"
	"fmt"

	"github.com/resource-plugins/krm-functions/conformance/internal/program"
	"github.com/resource-plugins/krm-functions/conformance/internal/suite"
)

// Status is how a case ended.
type Status string

// The ends of a case.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped" // it does not apply, or this machine cannot run it; see Outcome.Reason
	Blocked Status = "blocked" // a case that it needs has not passed
)

// Outcome is the end of one case.
type Outcome struct {
	Case   *suite.Case
	Status Status
	// Reason is why a case is skipped or blocked.
	Reason string
	// Problems have a line each.
	Problems []string
	// Runs are the runs that were judged. Those of a case that judges every run are the ones with a problem.
	Runs []*program.Observation
}

// Suite is a set of cases and the function that they test.
type Suite struct {
	Cases   []*suite.Case
	Program program.Program
	Profile suite.Profile
	Data    suite.Data
	// Skip has the reasons of cases that are not run, by ID.
	Skip map[string]string
	// Progress is called before each case; nil is allowed.
	Progress func(*suite.Case)

	outcomes map[string]*Outcome
	all      []*run // every run, for the cases that judge all of them
}

// Run runs all cases. The error is one of the suite or of this machine, not of the function.
func (s *Suite) Run() ([]*Outcome, error) {
	s.outcomes = map[string]*Outcome{}
	outcomes := make([]*Outcome, 0, len(s.Cases))
	for _, c := range s.Cases {
		if s.Progress != nil {
			s.Progress(c)
		}
		outcome, err := s.one(c)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", c.ID, err)
		}
		s.outcomes[c.ID] = outcome
		outcomes = append(outcomes, outcome)
	}
	return outcomes, nil
}

func (s *Suite) one(c *suite.Case) (*Outcome, error) {
	outcome := &Outcome{Case: c, Status: Skipped}
	if outcome.Reason = s.reasonToSkip(c); outcome.Reason != "" {
		return outcome, nil
	}
	if needed := s.outcomes[c.Needs]; needed != nil && (needed.Status == Failed || needed.Status == Blocked) {
		outcome.Status, outcome.Reason = Blocked, "needs "+c.Needs
		return outcome, nil
	}
	judge, ok := checks[c.Check.Is]
	if !ok {
		return nil, fmt.Errorf("unknown check %q", c.Check.Is)
	}
	runs, err := s.runs(c)
	if unavailable := (program.Unavailable{}); errors.As(err, &unavailable) {
		outcome.Reason = unavailable.Reason
		return outcome, nil
	}
	if err != nil {
		return nil, err
	}
	judgement := &judgement{suite: s, c: c, runs: runs}
	if err := judge(judgement); err != nil {
		return nil, err
	}
	outcome.Reason, outcome.Problems = judgement.unknown, judgement.problems
	for _, r := range runs {
		if !c.Every || r.faulty {
			outcome.Runs = append(outcome.Runs, r.Observation)
		}
		r.faulty = false
	}
	switch {
	case len(outcome.Problems) > 0:
		outcome.Status, outcome.Reason = Failed, ""
	case outcome.Reason == "":
		outcome.Status = Passed
	}
	return outcome, nil
}

func (s *Suite) reasonToSkip(c *suite.Case) string {
	switch {
	case s.Skip[c.ID] != "":
		return s.Skip[c.ID]
	case !c.AppliesTo(s.Profile):
		return fmt.Sprintf("is not for a %s", s.Profile)
	case c.Run.ContainerOnly && s.Program.Image == "":
		return "is tested with --image only"
	case c.Run.ProcessOnly && s.Program.Image != "":
		return "is tested with programs only"
	}
	return ""
}
