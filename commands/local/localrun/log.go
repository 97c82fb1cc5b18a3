package localrun

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// errTooLong is the error for a file above its size limit.
var errTooLong = errors.New("file too long")

// limited is a reader that fails after a number of bytes.
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

// maxLog is the size limit of a step's log, the default for containers
// (https://kubernetes.io/docs/concepts/cluster-administration/logging/, containerLogMaxSize).
const maxLog = 10 << 20

// log is the log of a step. Output beyond maxLog is dropped.
type log struct {
	mu   sync.Mutex
	file io.Writer
	size int
	full bool // a note in the file reports it
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
