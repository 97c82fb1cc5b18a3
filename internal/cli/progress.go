package cli

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/resource-plugins/krm-functions/internal/report"
)

const (
	fewDocuments = 200        // take too short a time to show progress
	eraseLine    = "\r\x1b[K" // moves a terminal's cursor to the start of an empty line
)

// progress is a line on a terminal that shows how far a long run is. It is rewritten with every per cent. Several
// goroutines may update it.
type progress struct {
	out  io.Writer // nil if nothing is shown
	name string

	mu    sync.Mutex
	shown int // per cent, counted from 1, 0 if there is no line
}

// progress returns the line of a run, which is shown only if stderr is a terminal.
func (r *run) progress() *progress {
	p := &progress{name: r.Command}
	if ShowsProgress(r.stderr) {
		p.out = r.stderr
	}
	return p
}

// ShowsProgress reports whether lines of a stream can be rewritten: on a terminal that supports it, and not in the log of
// a CI.
func ShowsProgress(stream any) bool { return showsProgress(IsTerminal(stream), os.Getenv) }

// showsProgress reports whether a line can be rewritten: on a terminal that supports it, and not in the log of a CI.
func showsProgress(terminal bool, environment func(string) string) bool {
	return terminal && environment("TERM") != "dumb" && environment("CI") == ""
}

// read shows how many documents were read.
func (p *progress) read(done, total int) {
	if p.out == nil || total < fewDocuments {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if percent := 1 + done*100/total; percent > p.shown {
		p.shown = percent
		p.write(fmt.Sprintf("read %d of %d documents, %d%%", done, total, percent-1))
	}
}

// process shows that the documents are being processed.
func (p *progress) process(total int) {
	if p.shown > 0 {
		p.write("working on " + report.Count(total, "document"))
	}
}

func (p *progress) write(text string) {
	_, _ = io.WriteString(p.out, eraseLine+p.name+": "+text)
}

// erase removes the line.
func (p *progress) erase() {
	if p.shown > 0 {
		p.shown = 0
		_, _ = io.WriteString(p.out, eraseLine)
	}
}

// EraseProgress removes a line that a run which ends early may have left.
func EraseProgress(stderr *os.File) {
	if ShowsProgress(stderr) {
		_, _ = stderr.WriteString(eraseLine)
	}
}
