package atomicfile

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
)

// maxHeld is how much of a spool is in memory.
const maxHeld = 4 << 20

// Spool holds a text that must not be written before all of it is known to be right. A long one is in a file in the folder
// for temporary files, which no other process finds, and which is gone when the process ends, however that happens. The zero
// value is empty.
type Spool struct {
	held   bytes.Buffer
	file   *os.File
	length int64
	mutex  sync.Mutex // of Text
}

// Len is the length of the text.
func (s *Spool) Len() int64 { return s.length }

// Write implements io.Writer.
func (s *Spool) Write(text []byte) (n int, err error) {
	if s.file == nil && s.held.Len()+len(text) > maxHeld {
		if s.file, err = temporary(); err != nil {
			return 0, fmt.Errorf("no temporary file: set TMPDIR to a folder with space: %w", err)
		}
	}
	if s.file != nil && s.held.Len()+len(text) > maxPiece {
		if err := s.empty(); err != nil {
			return 0, err
		}
	}
	s.held.Write(text)
	s.length += int64(len(text))
	return len(text), nil
}

// maxPiece is how much is written to the file, or read from it, at once.
const maxPiece = 1 << 18

// empty writes the text in memory to the file.
func (s *Spool) empty() error {
	_, err := s.held.WriteTo(s.file)
	if s.held.Cap() > 2*maxPiece {
		s.held = bytes.Buffer{}
	}
	if err != nil {
		return fmt.Errorf("temporary file: set TMPDIR to a folder with space: %w", err)
	}
	return nil
}

// WriteTo writes the text, once. It implements io.WriterTo.
func (s *Spool) WriteTo(w io.Writer) (n int64, err error) {
	if s.file == nil {
		return s.held.WriteTo(w)
	}
	if err := s.empty(); err != nil {
		return 0, err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{s.file}, make([]byte, maxPiece))
}

// Text returns a part of the text. It may be called by several goroutines when all is written.
func (s *Spool) Text(start, end int64) ([]byte, error) {
	if s.file == nil {
		return s.held.Bytes()[start:end], nil
	}
	s.mutex.Lock()
	err := s.empty()
	s.mutex.Unlock()
	if err != nil {
		return nil, err
	}
	text := make([]byte, end-start)
	_, err = s.file.ReadAt(text, start)
	return text, err
}

// Close releases the memory or file that holds the text.
func (s *Spool) Close() error {
	s.held = bytes.Buffer{}
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
