package local

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// Progress shows the steps of a run, or the cases of a test. On a terminal each has a row, which is rewritten; otherwise
// each change is a line.
type Progress struct {
	Out io.Writer
	// Size returns the columns and rows of the terminal; nil if lines cannot be rewritten.
	Size func() (columns, rows int)
	Now  func() time.Time

	stop  chan struct{} // nil if rows are not redrawn each second
	mu    sync.Mutex
	rows  []progressRow
	drawn int // number of rows on the terminal
}

// progressRow is a row on a terminal.
type progressRow struct {
	localrun.Event
	since time.Time     // when it began to run
	took  time.Duration // how long it ran
}

// redrawInterval is the time between updates of the seconds.
const redrawInterval = time.Second

// NewProgress returns the progress on a writer, which may be a terminal. Call End when done.
func NewProgress(out io.Writer) *Progress {
	p := &Progress{Out: out, Now: time.Now}
	if file, ok := out.(*os.File); ok && cli.ShowsProgress(out) {
		p.Size = func() (columns, rows int) {
			columns, rows, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return 0, 0
			}
			return columns, rows
		}
		p.stop = make(chan struct{})
		go p.tick()
	}
	return p
}

func (p *Progress) tick() {
	ticker := time.NewTicker(redrawInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		case <-p.stop:
			return
		}
	}
}

// ObserveRows records a change of a case: it has a row on a terminal, and no line elsewhere.
func (p *Progress) ObserveRows(e localrun.Event) {
	if p.Size != nil {
		p.Observe(e)
	}
}

// Observe records a change of a step.
func (p *Progress) Observe(e localrun.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Size == nil {
		if e.State != localrun.Waiting {
			_, _ = fmt.Fprintln(p.Out, report.Printable(rowText(e, "")))
		}
		return
	}
	i := slices.IndexFunc(p.rows, func(r progressRow) bool { return r.Resource == e.Resource && r.Step == e.Step })
	if i < 0 {
		i = len(p.rows)
		p.rows = append(p.rows, progressRow{})
	}
	row := &p.rows[i]
	row.Event = e
	switch {
	case e.State == localrun.Running && row.since.IsZero():
		row.since = p.Now()
	case e.State == localrun.Running:
	case !row.since.IsZero():
		row.took = p.Now().Sub(row.since)
	}
	p.draw()
}

// rowText formats a step as a line.
func rowText(e localrun.Event, seconds string) string {
	line := fmt.Sprintf("%-8s %s/%s", e.State, e.Resource, e.Step)
	if seconds != "" {
		line += " " + seconds
	}
	if e.Message != "" {
		line += ": " + e.Message
	}
	return line
}

// draw rewrites the rows. If the terminal has fewer rows, the first ones are omitted.
func (p *Progress) draw() {
	columns, most := p.Size()
	rows := p.rows
	if most > 1 && len(rows) >= most {
		rows = rows[len(rows)-most+1:]
	}
	var text strings.Builder
	if p.drawn > 0 {
		fmt.Fprintf(&text, "\x1b[%dA", p.drawn) // up
	}
	for _, row := range rows {
		seconds := ""
		switch {
		case row.State == localrun.Running:
			seconds = fmt.Sprintf("%ds", int(p.Now().Sub(row.since).Seconds()))
		case row.took > 0:
			seconds = fmt.Sprintf("%ds", int(row.took.Seconds()))
		}
		line := []rune(report.Printable(rowText(row.Event, seconds)))
		if columns > 1 && len(line) >= columns { // a wrapped line would need two rows
			line = append(line[:columns-2], '…')
		}
		text.WriteString("\r\x1b[K" + string(line) + "\n") // clear the line first
	}
	p.drawn = len(rows)
	_, _ = io.WriteString(p.Out, text.String())
}

// Note prints a line above the rows.
func (p *Progress) Note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn > 0 {
		fmt.Fprintf(p.Out, "\x1b[%dA\x1b[J", p.drawn) // up, and clear below
		p.drawn = 0
	}
	_, _ = fmt.Fprintln(p.Out, report.Printable(line))
	if p.Size != nil {
		p.draw()
	}
}

// End leaves the rows as they are, and prints messages that rows may have shortened.
func (p *Progress) End() {
	if p.stop != nil {
		close(p.stop)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, row := range p.rows {
		if row.State == localrun.Failed {
			_, _ = fmt.Fprintln(p.Out, report.Printable(rowText(row.Event, "")))
		}
	}
}
