package renderdiff

import (
	"fmt"
	"io"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// maxNames is how many sandboxes with the same changes are named.
const maxNames = 5

// textWriter prints a report as lines for people.
type textWriter struct{ strings.Builder }

func (w *textWriter) line(depth int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.WriteString(strings.Repeat("  ", depth) + report.Printable(text) + "\n")
}

func (r *Report) writeText(out io.Writer) error {
	w := &textWriter{}
	if r.Differs() {
		w.line(0, "%s -> %s: %s", r.Before, r.After, r.Summary.words())
	} else {
		w.line(0, "no difference between %s and %s", r.Before, r.After)
	}
	for _, one := range r.groups() {
		w.sandbox(one)
	}
	w.objects("routes", r.Routes)
	section(w, "packages", r.Packages, func(p Package) string { return p.Change.mark() + " " + p.words() })
	section(w, "versions", r.Versions, Version.words)
	section(w, "secrets", r.Secrets, func(s Secret) string { return s.Change.mark() + " " + s.words() })
	section(w, "rendered differently, without running a step", r.Rendering, Rendering.words)
	if len(r.Objects) > 0 {
		w.line(0, "other objects: %s", countObjects(r.Objects))
	}
	section(w, "not compared", r.notCompared(), func(text string) string { return text })
	_, err := io.WriteString(out, report.WithoutCommands(w.String()))
	return err
}

func (w *textWriter) sandbox(one *group) {
	noun := "sandbox "
	if len(one.names) > 1 {
		noun = "sandboxes "
	}
	w.line(0, "%s", strings.TrimSuffix(noun+listed(one.names, maxNames)+": "+one.words(), ": "))
	for _, resource := range one.Resources {
		w.line(1, "%s resource %s: %s", resource.Change.mark(), resource.Name, resource.words())
		width := 0
		steps := one.steps(resource)
		for _, step := range steps {
			width = max(width, len(step.Phase)+1+len(step.Name))
		}
		for _, step := range steps {
			what, why := step.words()
			text := fmt.Sprintf("%-*s  %s", width, string(step.Phase)+"/"+step.Name, what)
			w.line(2, "%s", strings.TrimSuffix(text+": "+why, ": "))
		}
	}
	for _, fork := range one.Forks {
		w.line(1, "%s fork %s", fork.Change.mark(), fork.words())
	}
	for _, route := range one.Routes {
		w.line(1, "%s route %s", route.Change.mark(), route.words())
	}
}

func (w *textWriter) objects(title string, objects []Object) {
	section(w, title, objects, func(o Object) string { return o.Change.mark() + " " + o.words() })
}

// section prints a title and a line for each element, or nothing for an empty list.
func section[T any](w *textWriter, title string, all []T, words func(T) string) {
	if len(all) == 0 {
		return
	}
	w.line(0, "%s:", title)
	for _, one := range all {
		w.line(1, "%s", words(one))
	}
}
