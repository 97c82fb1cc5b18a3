package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// few is how many documents are done before anybody asks how far it is.
const few = 200

// eraseLine takes a terminal's cursor to the start of an empty line.
const eraseLine = "\r\x1b[K"

// progress is one line on a terminal that tells how far a long run is. It needs no clock: it is written anew with every
// per cent. Several goroutines may move it on.
type progress struct {
	out  io.Writer // nil where nothing is shown
	name string

	mu    sync.Mutex
	shown int // per cent, counted from 1, 0 while there is no line
}

// progress returns the line of a run: none unless a person watches stderr.
func (r *run) progress() *progress {
	p := &progress{name: r.Name}
	if isWatched(isTerminal(r.stderr), os.Getenv) {
		p.out = r.stderr
	}
	return p
}

// isWatched tells whether a line that moves is of use: on a terminal that knows how to, and not in the log of a CI.
func isWatched(terminal bool, environment func(string) string) bool {
	return terminal && environment("TERM") != "dumb" && environment("CI") == ""
}

// read tells how many documents were read.
func (p *progress) read(done, total int) {
	if p.out == nil || total < few {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if percent := 1 + done*100/total; percent > p.shown {
		p.shown = percent
		p.write(fmt.Sprintf("read %d of %d documents, %d%%", done, total, percent-1))
	}
}

// process tells that what was read is being worked on.
func (p *progress) process(total int) {
	if p.shown > 0 {
		p.write("working on " + Count(total, "document"))
	}
}

func (p *progress) write(text string) {
	_, _ = io.WriteString(p.out, eraseLine+p.name+": "+text)
}

// erase takes the line away.
func (p *progress) erase() {
	if p.shown > 0 {
		p.shown = 0
		_, _ = io.WriteString(p.out, eraseLine)
	}
}

// farewell leaves a terminal as it was when the run ends early.
func farewell(stderr *os.File) func() {
	return func() {
		if isWatched(isTerminal(stderr), os.Getenv) {
			_, _ = stderr.WriteString(eraseLine)
		}
	}
}
