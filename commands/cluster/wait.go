package cluster

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/commands/cluster/status"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// pollInterval is the time between two looks at the cluster.
const pollInterval = 2 * time.Second

// await returns the state of the steps, with --wait the first that is final or that of the end of the timeout. After the
// first look, kubectl may fail: API servers restart.
func (f *statusFlags) await(from *source, shown *statusProgress) (*status.Report, *status.Objects, error) {
	end := time.Now().Add(f.timeout)
	if f.wait {
		from.memory = &status.Memory{}
	}
	found, objects, err := from.look()
	if err != nil || !f.wait {
		return found, objects, err
	}
	defer shown.erase()
	for {
		if err == nil {
			shown.report(found, f.now(objects))
			if found.Status == status.Ready || found.Status.NeedsUser() {
				return found, objects, nil
			}
		} else {
			shown.line("kubectl", err.Error())
		}
		if time.Until(end) < pollInterval {
			return found, objects, err
		}
		time.Sleep(pollInterval)
		nextFound, nextObjects, nextErr := from.look()
		if err = nextErr; err == nil {
			found, objects = nextFound, nextObjects
		}
	}
}

// statusProgress shows on stderr the state of the steps meanwhile: on a terminal as rows that are drawn again, elsewhere as
// a line for each change.
type statusProgress struct {
	out   io.Writer
	name  string
	last  map[string]string // the lines by their subject
	size  func() (columns, rows int)
	style report.Style
	drawn int // rows on the terminal
}

func newProgress(c *cobra.Command) *statusProgress {
	p := &statusProgress{out: c.ErrOrStderr(), name: c.CommandPath(), last: map[string]string{}}
	file, isFile := p.out.(*os.File)
	if isFile && isScreen(file) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == "" {
		p.style = report.StyleFor(true, false, os.Getenv)
		p.size = func() (columns, rows int) {
			columns, rows, _ = term.GetSize(int(file.Fd()))
			return columns, rows
		}
	}
	return p
}

// report shows the state of the steps at a time.
func (p *statusProgress) report(found *status.Report, now metav1.Time) {
	if p.size != nil {
		p.draw(found.Text(now, p.style))
		return
	}
	for i := range found.Steps {
		step := &found.Steps[i]
		p.line(step.Step+" "+step.Object, step.Line())
		for _, reason := range step.Reasons() {
			p.line(step.Step+" "+step.Object+" "+reason, step.Step+"  "+reason)
		}
	}
}

// line prints a line if it is another than the last one about the same.
func (p *statusProgress) line(about, text string) {
	if p.last[about] == text {
		return
	}
	p.last[about] = text
	text = p.name + ": " + report.Printable(strings.TrimSpace(text)) + "\n"
	if p.size != nil {
		p.draw(text)
		return
	}
	_, _ = io.WriteString(p.out, text)
}

// draw replaces the rows of the terminal. Rows that do not fit are cut, and the last ones are kept: the status is there.
func (p *statusProgress) draw(text string) {
	p.erase()
	columns, rows := p.size()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if rows > 1 && len(lines) >= rows {
		lines = lines[len(lines)-rows+1:]
	}
	for _, line := range lines {
		_, _ = fmt.Fprintln(p.out, cut(line, columns))
	}
	p.drawn = len(lines)
}

// erase removes the rows.
func (p *statusProgress) erase() {
	if p.drawn > 0 {
		_, _ = fmt.Fprintf(p.out, "\x1b[%dA\x1b[J", p.drawn)
		p.drawn = 0
	}
}

// cut returns the part of a line that fits into a terminal; escape sequences take no place.
func cut(line string, columns int) string {
	if columns <= 0 {
		return line
	}
	var b strings.Builder
	used := 0
	for line != "" {
		if sequence, isEscape := strings.CutPrefix(line, "\x1b"); isEscape {
			end := strings.IndexByte(sequence, 'm') + len("\x1bm")
			b.WriteString(line[:end])
			line = line[end:]
			continue
		}
		_, size := utf8.DecodeRuneInString(line)
		if used++; used < columns {
			b.WriteString(line[:size])
		}
		line = line[size:]
	}
	return b.String()
}
