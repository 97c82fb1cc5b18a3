package check

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/conformance/internal/program"
	"github.com/resource-plugins/krm-functions/conformance/internal/resourcelist"
	"github.com/resource-plugins/krm-functions/conformance/internal/suite"
)

// repetitions is how many times a case with again: same runs the function.
const repetitions = 5

// run is one run of the function, with its output as a list.
type run struct {
	*program.Observation
	of     string             // the case
	list   *resourcelist.List // nil if stdout is not one YAML mapping
	err    error              // why list is nil
	faulty bool               // a case that judges every run found something in this one
}

// runs makes the runs of a case.
func (s *Suite) runs(c *suite.Case) ([]*run, error) {
	if c.Every {
		return s.all, nil
	}
	input, has, err := c.Run.Bytes(s.Data)
	if err != nil {
		return nil, err
	}
	if !has {
		return nil, program.Unavailable{Reason: "needs a list that the function rejects: --" + c.Run.File + " FILE"}
	}
	first, err := s.run(c, input)
	if err != nil {
		return nil, err
	}
	runs := []*run{first}
	switch c.Run.Again {
	case "":
	case "same":
		for len(runs) < repetitions && err == nil {
			var next *run
			next, err = s.run(c, input)
			runs = append(runs, next)
		}
	case "output":
		if first.list == nil {
			break
		}
		var next *run
		next, err = s.run(c, first.Stdout)
		runs = append(runs, next)
	default:
		err = fmt.Errorf("unknown again %q", c.Run.Again)
	}
	return runs, err
}

func (s *Suite) run(c *suite.Case, input []byte) (*run, error) {
	observation, err := s.Program.Run(input, c.Run.Conditions)
	if err != nil {
		return nil, err
	}
	made := &run{Observation: observation, of: c.ID}
	made.list, made.err = resourcelist.Read(observation.Stdout)
	s.all = append(s.all, made)
	return made, nil
}

// failure describes an exit code that is not zero, and "" if the function was successful. A validator may reject the list
// with an error result: it has done its work.
func (r *run) failure(profile suite.Profile) string {
	switch {
	case r.TimedOut:
		return "did not end in time"
	case r.Signal != "":
		return "ended by signal: " + r.Signal
	case r.Exit == 0, profile == suite.Validator && r.hasError():
		return ""
	}
	return fmt.Sprintf("exit code %d, stderr %s", r.Exit, shorten(string(r.Stderr)))
}

// hasError reports whether the output has a result of severity error, which is the default.
func (r *run) hasError() bool {
	if r.list == nil {
		return false
	}
	for _, result := range r.list.Results {
		if severity := resourcelist.Get(result, "severity"); severity == nil || severity.Value == "error" {
			return true
		}
	}
	return false
}

// shorten quotes the first characters of a text.
func shorten(text string) string {
	const most = 160
	text = strings.TrimSpace(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}
