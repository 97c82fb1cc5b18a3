package localrun

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// errTooLong is returned for a file that is longer than it can be.
var errTooLong = errors.New("file too long")

// limited reads from a reader, and fails after so many bytes.
type limited struct {
	from io.Reader
	left int
}

func (l *limited) Read(into []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.from.Read(into[:min(len(into), l.left)])
	l.left -= n
	return n, err
}

// maxLog is how much of a step's output is kept, as of a container's by default
// (https://kubernetes.io/docs/concepts/cluster-administration/logging/, containerLogMaxSize).
const maxLog = 10 << 20

// log is the output of a step. What is longer than maxLog is dropped.
type log struct {
	mu   sync.Mutex
	file io.Writer
	size int
	full bool // and the file says so
}

func (l *log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	keep := text[:min(len(text), maxLog-l.size)]
	l.size += len(keep)
	if _, err := l.file.Write(keep); err != nil {
		return 0, err
	}
	if len(keep) < len(text) && !l.full {
		l.full = true
		_, _ = fmt.Fprintf(l.file, "\n[the rest of the output is not kept: it is longer than %d bytes]\n", maxLog)
	}
	return len(text), nil
}
