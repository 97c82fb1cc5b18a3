package rplug

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/subcommand"
)

// runProgress shows the steps of a run, or the cases of a test. On a terminal each has a row, which is rewritten; elsewhere
// each change is a line.
type runProgress struct {
	out io.Writer
	// size returns the columns and rows of the terminal; nil if lines cannot be rewritten.
	size func() (columns, rows int)
	now  func() time.Time
	stop chan struct{}

	mu    sync.Mutex
	rows  []runRow
	drawn int // how many rows are on the terminal
}

// runRow is a step on a terminal.
type runRow struct {
	localrun.Event
	since time.Time     // when it began to run
	took  time.Duration // how long it ran
}

// redrawInterval is how often the seconds are shown.
const redrawInterval = time.Second

func newRunProgress(out io.Writer) *runProgress {
	p := &runProgress{out: out, now: time.Now, stop: make(chan struct{})}
	if file, ok := out.(*os.File); ok && cli.ShowsProgress(out) {
		p.size = func() (columns, rows int) {
			columns, rows, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return 0, 0
			}
			return columns, rows
		}
		go p.tick()
	}
	return p
}

func (p *runProgress) tick() {
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

// observeRows takes a change where it has a row: elsewhere there are no lines.
func (p *runProgress) observeRows(e localrun.Event) {
	if p.size != nil {
		p.observe(e)
	}
}

// observe takes a change of a step.
func (p *runProgress) observe(e localrun.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size == nil {
		if e.State != localrun.Waiting {
			_, _ = fmt.Fprintln(p.out, report.Printable(rowText(e, "")))
		}
		return
	}
	i := slices.IndexFunc(p.rows, func(r runRow) bool { return r.Resource == e.Resource && r.Step == e.Step })
	if i < 0 {
		i = len(p.rows)
		p.rows = append(p.rows, runRow{})
	}
	row := &p.rows[i]
	row.Event = e
	switch {
	case e.State == localrun.Running && row.since.IsZero():
		row.since = p.now()
	case e.State == localrun.Running:
	case !row.since.IsZero():
		row.took = p.now().Sub(row.since)
	}
	p.draw()
}

// rowText is a step as a line.
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

// draw rewrites the rows. If there are more than the terminal has, the first ones are left out.
func (p *runProgress) draw() {
	columns, most := p.size()
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
			seconds = fmt.Sprintf("%ds", int(p.now().Sub(row.since).Seconds()))
		case row.took > 0:
			seconds = fmt.Sprintf("%ds", int(row.took.Seconds()))
		}
		line := []rune(report.Printable(rowText(row.Event, seconds)))
		if columns > 1 && len(line) >= columns { // a wrapped row would be two
			line = append(line[:columns-2], '…')
		}
		text.WriteString("\r\x1b[K" + string(line) + "\n") // an empty line first
	}
	p.drawn = len(rows)
	_, _ = io.WriteString(p.out, text.String())
}

// note prints a line above the rows.
func (p *runProgress) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn > 0 {
		fmt.Fprintf(p.out, "\x1b[%dA\x1b[J", p.drawn) // up, and erase what is below
		p.drawn = 0
	}
	_, _ = fmt.Fprintln(p.out, report.Printable(line))
	if p.size != nil {
		p.draw()
	}
}

// end leaves the rows as they are, and prints messages that rows may have cut.
func (p *runProgress) end() {
	close(p.stop)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, row := range p.rows {
		if row.State == localrun.Failed {
			_, _ = fmt.Fprintln(p.out, report.Printable(rowText(row.Event, "")))
		}
	}
}

// maxLogLines is how much of the log of a failed step is printed, from its end.
const maxLogLines = 50

// printLogs prints the logs of the steps that failed, or of all.
func (f *runFlags) printLogs(out io.Writer, result *localrun.Report) {
	for _, step := range result.Steps {
		if step.Log == "" || step.State != localrun.Failed && !f.logs {
			continue
		}
		content, err := os.ReadFile(step.Log)
		if err != nil || len(content) == 0 {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
		fmt.Fprintf(out, "--- log of %s/%s: %s\n", report.Printable(step.Resource), report.Printable(step.Step), step.Log)
		if cut := len(lines) - maxLogLines; cut > 0 && !f.logs {
			fmt.Fprintf(out, "[%d lines above]\n", cut)
			lines = lines[cut:]
		}
		for _, line := range lines {
			fmt.Fprintln(out, report.Printable(line))
		}
	}
}

// runOutput is an output of a step in JSON.
type runOutput struct {
	Name  string  `json:"name"`
	Bytes int     `json:"bytes"`
	Value *string `json:"value,omitempty"`
}

// runStep is a step in JSON.
type runStep struct {
	localrun.StepReport
	Outputs []runOutput `json:"outputs,omitempty"`
}

// print prints the steps with the names and sizes of their outputs.
func (f *runFlags) print(out io.Writer, result *localrun.Report) error {
	steps := make([]runStep, 0, len(result.Steps))
	for _, step := range result.Steps {
		made := runStep{StepReport: step}
		for _, name := range slices.Sorted(maps.Keys(step.Outputs)) {
			o := runOutput{Name: name, Bytes: len(step.Outputs[name])}
			if f.showOutputs {
				value := string(step.Outputs[name])
				o.Value = &value
			}
			made.Outputs = append(made.Outputs, o)
		}
		steps = append(steps, made)
	}
	if f.output == subcommand.JSON {
		return subcommand.PrintJSON(out, map[string][]runStep{"steps": steps})
	}
	for _, step := range steps {
		for _, o := range step.Outputs {
			value := fmt.Sprintf("%d bytes", o.Bytes)
			if o.Value != nil {
				value = report.Printable(*o.Value)
			}
			fmt.Fprintf(out, "%s/%s.%s  %s\n", report.Printable(step.Resource), step.Step, o.Name, value)
		}
	}
	return nil
}
