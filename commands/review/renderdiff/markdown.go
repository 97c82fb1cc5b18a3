package renderdiff

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/internal/report"
)

const (
	// maxMarkdown is how many bytes are printed at most: a comment of GitHub holds 65,536 characters, and a program may
	// put a title in front.
	maxMarkdown = 60_000
	// maxCode is how many characters of a text are shown.
	maxCode = 200
)

// markdownWriter prints a report for a comment of a pull request. Texts of documents are in code: there, neither Markdown
// nor HTML nor the name of a user means anything.
type markdownWriter struct {
	strings.Builder
	dropped int // lines that were too many
}

// add adds lines unless that makes the comment too long.
func (w *markdownWriter) add(text string) {
	if w.Len()+len(text) > maxMarkdown {
		w.dropped++
		return
	}
	w.WriteString(text)
}

// code returns a text as Markdown shows it as it is, in a table, too. GitHub and GitLab link no names in code.
func code(text string) string {
	text = report.Printable(text)
	if runes := []rune(text); len(runes) > maxCode {
		text = string(runes[:maxCode-1]) + "…"
	}
	switch {
	case text == "":
		return ""
	case !strings.ContainsAny(text, "`|\\") && strings.TrimSpace(text) == text:
		return "`" + text + "`"
	}
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range text {
		if r < utf8.RuneSelf && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String() + "</code>"
}

func (r *Report) writeMarkdown(out io.Writer) error {
	w := &markdownWriter{}
	if !r.Differs() {
		w.add(fmt.Sprintf("No difference between %s and %s.\n", code(r.Before), code(r.After)))
	} else {
		w.add(fmt.Sprintf("### %s → %s\n\n%s\n", code(r.Before), code(r.After), r.Summary.words()))
	}
	w.sandboxes(r)
	bullets(w, "Routes", r.Routes, func(o Object) string { return o.Change.mark() + " " + o.words() })
	bullets(w, "Packages", r.Packages, func(p Package) string { return p.Change.mark() + " " + p.words() })
	bullets(w, "Versions", r.Versions, Version.words)
	bullets(w, "Secrets", r.Secrets, func(s Secret) string { return s.Change.mark() + " " + s.words() })
	bullets(w, "Rendered differently, without running a step", r.Rendering, Rendering.words)
	if len(r.Objects) > 0 {
		w.add("\nOther objects: " + code(countObjects(r.Objects)) + "\n")
	}
	bullets(w, "Not compared", r.notCompared(), func(text string) string { return text })
	if w.dropped > 0 {
		fmt.Fprintf(w, "\n%d more lines are left out, since a comment must not be longer: see `rplug diff`.\n", w.dropped)
	}
	_, err := io.WriteString(out, w.String())
	return err
}

// sandboxes adds a table: a row for each step, fork and route.
func (w *markdownWriter) sandboxes(r *Report) {
	groups := r.groups()
	if len(groups) == 0 {
		return
	}
	w.add("\n| sandbox | resource | step | what happens | why |\n|---|---|---|---|---|\n")
	for _, one := range groups {
		var cells []string
		for _, name := range one.names[:min(len(one.names), maxNames)] {
			cells = append(cells, code(name))
		}
		who := strings.Join(cells, ", ")
		if more := len(one.names) - len(cells); more > 0 {
			who += fmt.Sprintf(" and %d more", more)
		}
		row := func(resource, step, what, why string) {
			w.add(fmt.Sprintf("| %s | %s | %s | %s | %s |\n", who, resource, step, what, why))
		}
		if words := one.words(); words != "" {
			row("", "", words, "")
		}
		for _, resource := range one.Resources {
			of := code(resource.Name) + " " + code(resource.words())
			for _, step := range one.steps(resource) {
				what, why := step.words()
				if step.Run == Again {
					what = "**" + what + "**"
				}
				row(of, code(string(step.Phase)+"/"+step.Name), what, code(why))
			}
			if len(one.steps(resource)) == 0 {
				row(of, "", string(resource.Change), "")
			}
		}
		for _, fork := range one.Forks {
			row("fork "+code(fork.words()), "", string(fork.Change), "")
		}
		for _, route := range one.Routes {
			row("route "+code(route.words()), "", string(route.Change), "")
		}
	}
}

// bullets adds a folded list, nothing if there is nothing to list.
func bullets[T any](w *markdownWriter, title string, all []T, words func(T) string) {
	if len(all) == 0 {
		return
	}
	w.add(fmt.Sprintf("\n**%s** (%d)\n\n", title, len(all)))
	for _, one := range all {
		w.add("- " + code(words(one)) + "\n")
	}
}
