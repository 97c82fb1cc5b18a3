package renderdiff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// maxFields is how many fields text and Markdown list.
const maxFields = 4

// reasonWords describe kinds of reasons whose names are not clear enough in text and Markdown.
var reasonWords = map[ReasonKind]string{
	ReasonUnknown: "unknown, see \"not compared\"",
	ReasonSecret:  "it published no outputs before",
	ReasonJob:     "its Job changed",
}

// String returns the reason as text, such as "param size".
func (r Reason) String() string {
	text := cmp.Or(reasonWords[r.Kind], string(r.Kind))
	if r.Name != "" {
		text += " " + r.Name
	}
	if r.Change != "" && r.Change != string(Changed) {
		text += " " + r.Change
	}
	if r.Before != "" || r.After != "" {
		text += fmt.Sprintf(" %s -> %s", shown(r.Before), shown(r.After))
	}
	if len(r.Fields) > 0 {
		text += " (" + listed(r.Fields, maxFields) + ")"
	}
	return text
}

// shown returns a value, quoted if it is empty or has blanks.
func shown(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\n") {
		return fmt.Sprintf("%q", value)
	}
	return value
}

// words describes what happens to a step, and why.
func (s Step) words() (what, why string) {
	reasons := make([]string, len(s.Reasons))
	workload := cmp.Or(s.Workload, kindJob)
	for i, reason := range s.Reasons {
		reasons[i] = reason.String()
		if reason.Kind == ReasonJob {
			reasons[i] = strings.Replace(reasons[i], kindJob, workload, 1)
		}
	}
	why = strings.Join(reasons, ", ")
	switch s.Run {
	case First:
		what = "runs"
	case Again:
		what = "runs again"
	case Gone:
		what = "is removed; nothing runs"
	case No:
		what, why = "does not run", "its generation is unchanged"
	}
	switch {
	case s.Leftover != "":
		why += fmt.Sprintf("; delete %s %s of an earlier render first", workload, s.Leftover)
	case s.Run == Again && s.AtLeastOnce && s.hasOnlyItsJob():
		why += fmt.Sprintf("; it publishes no outputs, so only its %s records that it ran", workload)
	}
	return what, why
}

// hasOnlyItsJob reports whether the generation of the step is unchanged.
func (s Step) hasOnlyItsJob() bool {
	return !slices.ContainsFunc(s.Reasons, func(r Reason) bool {
		return r.Kind != ReasonOtherScript && r.Kind != ReasonHelperImage && r.Kind != ReasonJob
	})
}

// leak ends messages about a missing delete phase.
const leak = " is removed without its delete phase: its external resources are leaked"

// words describes what happens to a sandbox.
func (s Sandbox) words() string {
	switch s.Change {
	case Added:
		return "is added"
	case Removed:
		if s.WithoutDelete {
			return leak[1:]
		}
		return "is removed"
	case Absent:
		return "becomes absent: its delete phase runs"
	case Present:
		return "is created again"
	case Changed:
	}
	return ""
}

// words describes what happens to a resource, and to its plugin.
func (r Resource) words() string {
	switch {
	case r.WithoutDelete:
		return r.Before + leak
	case r.Before == r.After, r.Before == "":
		return r.After
	case r.After == "":
		return r.Before + " is removed"
	}
	return r.Before + " -> " + r.After
}

// words describes an object, and lists the fields that changed.
func (o Object) words() string {
	text := o.Kind + " " + strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
	if o.Of != "" {
		text += ", of " + o.Of
	}
	if len(o.Fields) > 0 {
		text += ": " + listed(o.Fields, maxFields)
	}
	return text
}

// mark returns the sign of a change at the beginning of a line.
func (c Change) mark() string {
	switch c {
	case Added, Present:
		return "+"
	case Removed, Absent:
		return "-"
	case Changed:
	}
	return "~"
}

// words names the step that publishes to a Secret.
func (o *Owner) words() string {
	return fmt.Sprintf("%s/%s %s/%s (%s)", o.Sandbox, o.Resource, o.Phase, o.Step, o.Plugin)
}

func (s Secret) words() string {
	text := strings.TrimPrefix(s.Namespace+"/"+s.Name, "/")
	switch {
	case s.Before == nil:
		return text + ": published by " + s.After.words()
	case s.After == nil:
		return text + ": was published by " + s.Before.words()
	}
	return fmt.Sprintf("%s: published by %s, before by %s", text, s.After.words(), s.Before.words())
}

func (v Version) words() string {
	of := report.Count(v.Resources, "resource")
	if v.SameVersion {
		return fmt.Sprintf("%s@%s changed without a new version, which is not allowed: %s", v.Plugin, v.After, of)
	}
	return fmt.Sprintf("%s %s -> %s: %s", v.Plugin, v.Before, v.After, of)
}

func (r Rendering) words() string {
	if r.Before != "" || r.After != "" {
		return fmt.Sprintf("%s %s -> %s: %s", r.What, shown(r.Before), shown(r.After), report.Count(r.Objects, "object"))
	}
	return fmt.Sprintf("%s: %s", r.What, report.Count(r.Objects, "object"))
}

func (p Package) words() string {
	text := p.Request
	switch before, after := strings.Join(p.Before, ", "), strings.Join(p.After, ", "); {
	case before == after:
		text += ": " + after
	case before == "":
		text += ": installs " + after
	case after == "":
		text += ": removes " + before
	default:
		text += ": " + before + " -> " + after
	}
	return fmt.Sprintf("%s (%s)", text, countObjects(p.Objects))
}

// countObjects counts objects by their change, and lists their kinds.
func countObjects(objects []Object) string {
	counts := map[Change]int{}
	kinds := make([]string, len(objects))
	for i, o := range objects {
		counts[o.Change]++
		kinds[i] = o.Kind
	}
	slices.Sort(kinds)
	var words []string
	for _, change := range []Change{Added, Removed, Changed} {
		if n := counts[change]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, change))
		}
	}
	return strings.Join(words, ", ") + ": " + strings.Join(slices.Compact(kinds), ", ")
}

// words returns the summary in one line.
func (s Summary) words() string {
	var words []string
	add := func(n int, noun, verb string) {
		if n > 0 {
			words = append(words, report.Count(n, noun)+" "+verb)
		}
	}
	add(s.SandboxesAdded, "sandbox", "added")
	add(s.SandboxesRemoved, "sandbox", "removed")
	add(s.SandboxesAbsent, "sandbox", "absent")
	add(s.SandboxesPresent, "sandbox", "created again")
	add(s.SandboxesChanged, "sandbox", "changed")
	add(s.StepsAgain, "step", "to run again")
	add(s.StepsFirst, "step", "to run")
	add(s.StepsNo, "step", "not to run again")
	add(s.StepsGone, "step", "removed")
	return cmp.Or(strings.Join(words, ", "), "no step runs")
}

// listed joins the first texts.
func listed(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// group is sandboxes with the same changes.
type group struct {
	Sandbox
	names []string
}

// groups puts sandboxes with the same changes together, in the order of their first names.
func (r *Report) groups() (all []*group) {
	known := map[string]*group{}
	for _, sandbox := range r.Sandboxes {
		key := sandbox
		key.Name = ""
		text, err := json.Marshal(key)
		if err != nil {
			panic(err) // only texts and numbers
		}
		one := known[string(text)]
		if one == nil {
			one = &group{Sandbox: sandbox}
			known[string(text)] = one
			all = append(all, one)
		}
		one.names = append(one.names, sandbox.Name)
	}
	return all
}

// maxNotCompared is how many lines about parts that were not compared text and Markdown have.
const maxNotCompared = 20

// notCompared returns the lines about parts that were not compared.
func (r *Report) notCompared() []string {
	if len(r.NotCompared) <= maxNotCompared {
		return r.NotCompared
	}
	return append(slices.Clone(r.NotCompared[:maxNotCompared]),
		fmt.Sprintf("%d more: see --output json", len(r.NotCompared)-maxNotCompared))
}

// steps returns the steps that text and Markdown list: not those that are removed with their sandbox or its create phase.
func (s Sandbox) steps(of Resource) []Step {
	if s.Change == Changed && of.Change == Changed {
		return of.Steps
	}
	return slices.DeleteFunc(slices.Clone(of.Steps), func(step Step) bool { return step.Run == Gone })
}
