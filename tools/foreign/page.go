package main

import (
	_ "embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed causes.yaml
var causesFile []byte

// cause is an entry of causes.yaml.
type cause struct {
	// Cases and Functions are the failures with this cause; both may have patterns of path.Match, in which * does not match /.
	Cases     []string `yaml:"cases"`
	Functions []string `yaml:"functions"`
	Cause     string   `yaml:"cause"`
	// Varies is set if the outcome depends on the speed of the machine: then it is no error if there is no failure.
	Varies bool `yaml:"varies"`

	failures int
}

type causes []*cause

func readCauses() (causes, error) {
	var all causes
	return all, yaml.Unmarshal(causesFile, &all)
}

// explain sets the cause of each failure. A failure without a cause, and a cause without a failure if complete, are errors.
func (all causes) explain(results []*result, complete bool) error {
	var problems []string
	for _, r := range results {
		for _, o := range r.failed() {
			i := slices.IndexFunc(all, func(c *cause) bool { return matches(c.Cases, o.ID) && matches(c.Functions, r.Function.Name) })
			if i < 0 {
				problems = append(problems, fmt.Sprintf("%s fails %s, and causes.yaml has no cause: %s", r.Function.Name, o.ID,
					strings.Join(o.Problems, "; ")))
				continue
			}
			o.Cause = all[i].Cause
			all[i].failures++
		}
	}
	for _, c := range all {
		if complete && c.failures == 0 && !c.Varies {
			problems = append(problems, fmt.Sprintf("causes.yaml: no failure has the cause %q", c.Cause))
		}
	}
	if problems != nil {
		return fmt.Errorf("%d problems:\n%s", len(problems), strings.Join(problems, "\n"))
	}
	return nil
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matched, err := path.Match(pattern, name)
		return err == nil && matched
	})
}

//go:embed page.md
var intro string

// table returns the page.
func table(results []*result, all causes) string {
	var out strings.Builder
	out.WriteString(intro)
	out.WriteString("\n| function | code | profile | MUST | SHOULD | statement | convention | failed |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		name := r.Function.Name
		if len(r.failed()) > 0 {
			name = fmt.Sprintf("[%s](../../conformance/functions/%s.yaml)", name, name)
		}
		fmt.Fprintf(&out, "| %s | `%s` | %s |", name, r.Function.source(), r.Function.Profile)
		for _, level := range []string{"MUST", "SHOULD", "statement", "convention"} {
			passed, run := r.count(level)
			fmt.Fprintf(&out, " %d of %d |", passed, run)
		}
		var failed []string
		for _, o := range r.failed() {
			failed = append(failed, "`"+o.ID+"`")
		}
		fmt.Fprintf(&out, " %s |\n", strings.Join(failed, ", "))
	}
	out.WriteString("\n## Causes\n\n| case | functions | cause |\n|---|---|---|\n")
	for _, c := range all {
		functions := map[string]bool{}
		cases := map[string]bool{}
		for _, r := range results {
			for _, o := range r.failed() {
				if o.Cause == c.Cause {
					functions[r.Function.Name], cases["`"+o.ID+"`"] = true, true
				}
			}
		}
		if len(functions) > 0 {
			fmt.Fprintf(&out, "| %s | %s | %s |\n", strings.Join(slices.Sorted(maps.Keys(cases)), ", "),
				strings.Join(slices.Sorted(maps.Keys(functions)), ", "), c.Cause)
		}
	}
	return out.String()
}

// count returns how many cases of a level passed, and how many were run or blocked.
func (r *result) count(level string) (passed, run int) {
	for _, o := range r.Cases {
		if o.Level != level || o.Status == "skipped" {
			continue
		}
		run++
		if o.Status == "passed" {
			passed++
		}
	}
	return passed, run
}
