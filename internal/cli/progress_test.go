package cli

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhoWatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		terminal  bool
		term, ci  string
		isWatched bool
	}{{true, "", "", true}, {true, "xterm", "", true}, {false, "xterm", "", false}, {true, "dumb", "", false}, {true, "xterm", "true", false}} {
		environment := func(name string) string { return map[string]string{"TERM": c.term, "CI": c.ci}[name] }
		assert.Equal(t, c.isWatched, showsProgress(c.terminal, environment), "%+v", c)
	}
}

// However many goroutines read, the line moves on only, once a per cent, and is gone in the end.
func TestProgressMovesOn(t *testing.T) {
	t.Parallel()
	const total = 1000
	var out bytes.Buffer
	p := &progress{out: &out, name: "try"}
	var readers sync.WaitGroup
	for worker := range 4 {
		readers.Go(func() {
			for done := worker + 1; done <= total; done += 4 {
				p.read(done, total)
			}
		})
	}
	readers.Wait()
	p.process(total)
	p.erase()
	lines := strings.Split(out.String(), eraseLine)
	assert.LessOrEqual(t, len(lines), 101+3)
	assert.Equal(t, []string{"try: read 1000 of 1000 documents, 100%", "try: working on 1000 documents", ""}, lines[len(lines)-3:])
}

func TestShortWorkShowsNothing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := &progress{out: &out, name: "try"}
	p.read(fewDocuments-1, fewDocuments-1)
	p.process(fewDocuments - 1)
	p.erase()
	assert.Empty(t, out.String())
	(&progress{name: "try"}).read(fewDocuments, fewDocuments)
}
