package status

import (
	"fmt"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// Text returns the report for people: a row for each step, followed by the reasons why it is not ready, and "status: STATE"
// at the end. Ages are relative to now.
func (r *Report) Text(now metav1.Time, style report.Style) string {
	var b strings.Builder
	if len(r.Steps) > 0 {
		rows := make([][]string, 0, 1+len(r.Steps))
		rows = append(rows, []string{"STATE", "PHASE", "STEP", "AGE", "NAMESPACE", "OBJECT", "DETAIL"})
		for i := range r.Steps {
			rows = append(rows, r.Steps[i].row(now))
		}
		lines := align(rows)
		b.WriteString(lines[0] + "\n")
		for i := range r.Steps {
			s := &r.Steps[i]
			b.WriteString(s.State.paint(style, lines[i+1]) + "\n")
			for _, reason := range s.Reasons() {
				fmt.Fprintf(&b, "%-10s  %s\n", "", report.Printable(reason))
			}
		}
	}
	if len(r.LeftOver) > 0 {
		b.WriteString("left over:\n")
		rows := make([][]string, len(r.LeftOver))
		for i, left := range r.LeftOver {
			rows[i] = []string{"", left.Namespace, left.Object, left.Sandbox + "/" + left.Resource + ": " + left.Reason}
		}
		for _, line := range align(rows) {
			b.WriteString(line + "\n")
		}
	}
	for _, unknown := range r.Unknown {
		b.WriteString("not known: " + report.Printable(unknown) + "\n")
	}
	b.WriteString("status: " + r.Status.paint(style, string(r.Status)) + "\n")
	return b.String()
}

// Line returns the step on one line.
func (s *Step) Line() string {
	return strings.TrimRight(strings.Join([]string{
		string(s.State), s.Step, s.Namespace, s.Object, report.Printable(s.Detail),
	}, "  "), " ")
}

func (s *Step) row(now metav1.Time) []string {
	age := "-"
	if s.Since != nil {
		age = duration.HumanDuration(now.Sub(s.Since.Time))
	}
	return []string{string(s.State), s.Phase, s.Step, age, s.Namespace, s.Object, s.Detail}
}

// Reasons returns the failed containers and the causes without duplicates: Pods of one Job often fail alike.
func (s *Step) Reasons() []string {
	var lines []string
	said := map[string]bool{}
	add := func(line string) {
		if !said[line] {
			said[line] = true
			lines = append(lines, line)
		}
	}
	for _, c := range s.Containers {
		add(c.String())
	}
	for _, c := range s.Causes {
		add(c.String())
	}
	return lines
}

// paint colors the state, which is the first word of a row.
func (s State) paint(style report.Style, row string) string {
	rest := strings.TrimPrefix(row, string(s))
	switch {
	case s.NeedsUser():
		return style.Failure(string(s)) + rest
	case s == Ready:
		return style.Success(string(s)) + rest
	}
	return style.Pending(string(s)) + rest
}

// align pads the cells of all rows to columns of equal width, and escapes characters that cannot be printed.
func align(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			row[i] = report.Printable(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			b.WriteString(cell + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)+2))
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
