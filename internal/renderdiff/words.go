package renderdiff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// maxFields is how many fields people are told of.
const maxFields = 4

// reasonWords are the kinds of reasons that people read in other words.
var reasonWords = map[ReasonKind]string{
	ReasonUnknown: "what was not compared, see below",
	ReasonSecret:  "it published no outputs before",
	ReasonJob:     "its Job is another one",
}

// String words the reason, such as "param size".
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

// shown is a value as a word.
func shown(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\n") {
		return fmt.Sprintf("%q", value)
	}
	return value
}

// words says what becomes of a step, and why.
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
		what = "goes, nothing runs"
	case No:
		what, why = "does not run", "what it is made from is the same"
	}
	switch {
	case s.Leftover != "":
		why += fmt.Sprintf("; not before %s %s of an earlier render is deleted", workload, s.Leftover)
	case s.Run == Again && s.AtLeastOnce && s.hasOnlyItsJob():
		why += fmt.Sprintf("; it publishes no outputs, so only its %s says that it has run", workload)
	}
	return what, why
}

// hasOnlyItsJob reports whether what the step is made from is the same.
func (s Step) hasOnlyItsJob() bool {
	return !slices.ContainsFunc(s.Reasons, func(r Reason) bool {
		return r.Kind != ReasonOtherScript && r.Kind != ReasonHelperImage && r.Kind != ReasonJob
	})
}

// words says what becomes of a sandbox.
func (s Sandbox) words() string {
	switch s.Change {
	case Added:
		return "comes"
	case Removed:
		if s.WithoutDelete {
			return "goes without its delete phase: what its steps have made stays"
		}
		return "goes"
	case Absent:
		return "becomes absent: its delete phase runs"
	case Present:
		return "is created again"
	case Changed:
	}
	return ""
}

// words says what becomes of a resource, and of its plugin.
func (r Resource) words() string {
	switch {
	case r.WithoutDelete:
		return r.Before + " goes without its delete phase: what its steps have made stays"
	case r.Before == r.After, r.Before == "":
		return r.After
	case r.After == "":
		return r.Before + " goes"
	}
	return r.Before + " -> " + r.After
}

// words says what becomes of an object.
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

// mark is the sign in front of what comes, goes or changes.
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

// words names the step that a Secret is of.
func (o *Owner) words() string {
	return fmt.Sprintf("%s/%s %s/%s (%s)", o.Sandbox, o.Resource, o.Phase, o.Step, o.Plugin)
}

func (s Secret) words() string {
	text := strings.TrimPrefix(s.Namespace+"/"+s.Name, "/")
	switch {
	case s.Before == nil:
		return text + ": of " + s.After.words()
	case s.After == nil:
		return text + ": was of " + s.Before.words()
	}
	return fmt.Sprintf("%s: of %s, before of %s", text, s.After.words(), s.Before.words())
}

func (v Version) words() string {
	of := report.Count(v.Resources, "resource")
	if v.SameVersion {
		return fmt.Sprintf("%s@%s has changed under its version, which must not be: %s", v.Plugin, v.After, of)
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
		text += ": goes, was " + before
	default:
		text += ": " + before + " -> " + after
	}
	return fmt.Sprintf("%s (%s)", text, countObjects(p.Objects))
}

// countObjects counts objects by what becomes of them, and lists their kinds.
func countObjects(objects []Object) string {
	counts := map[Change]int{}
	kinds := make([]string, len(objects))
	for i, o := range objects {
		counts[o.Change]++
		kinds[i] = o.Kind
	}
	slices.Sort(kinds)
	var words []string
	for _, one := range []struct {
		change Change
		verb   string
	}{{Added, "come"}, {Removed, "go"}, {Changed, "change"}} {
		if n := counts[one.change]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, one.verb))
		}
	}
	return strings.Join(words, ", ") + ": " + strings.Join(slices.Compact(kinds), ", ")
}

// words is the summary in one line.
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
	add(s.StepsNo, "step", "unchanged under another version")
	add(s.StepsGone, "step", "gone")
	return cmp.Or(strings.Join(words, ", "), "no step runs")
}

// listed lists the first texts.
func listed(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// group is sandboxes of which the same becomes.
type group struct {
	Sandbox
	names []string
}

// groups puts sandboxes together of which the same becomes, in the order of their first names.
func (r *Report) groups() (all []*group) {
	known := map[string]*group{}
	for _, sandbox := range r.Sandboxes {
		key := sandbox
		key.Name = ""
		text, err := json.Marshal(key)
		if err != nil {
			panic(err) // texts and numbers alone
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

// maxNotCompared is how much people are told of that was not compared.
const maxNotCompared = 20

// notCompared is what people are told of that was not compared.
func (r *Report) notCompared() []string {
	if len(r.NotCompared) <= maxNotCompared {
		return r.NotCompared
	}
	return append(slices.Clone(r.NotCompared[:maxNotCompared]),
		fmt.Sprintf("%d more: see --output json", len(r.NotCompared)-maxNotCompared))
}

// steps are the steps that people are told of: not those that go with their sandbox, or with its create phase.
func (s Sandbox) steps(of Resource) []Step {
	if s.Change == Changed && of.Change == Changed {
		return of.Steps
	}
	return slices.DeleteFunc(slices.Clone(of.Steps), func(step Step) bool { return step.Run == Gone })
}
