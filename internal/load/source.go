package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// unreadable is a finding about a file that was opened and is not text; the call is not wrong.
type unreadable struct {
	file         string
	line, column int
	message      string
	reason       string // why it is skipped in a folder
}

func (u *unreadable) Error() string { return u.file + ": " + u.message }

func (u *unreadable) result() krm.Result {
	return Finding(u.file, u.line, u.column, krm.Error, u.message)
}

// folder is the folder of a document's embedded files.
func (s Source) folder() string {
	if s.Path == StdinName {
		return "."
	}
	return path.Dir(s.Path)
}

// chunks reads the file and splits it into documents. Of an unreadable file, it returns the text that could be read.
func (s Source) chunks(input io.Reader) (text []byte, chunks []chunk, err error) {
	if text, err = s.text(input); err != nil {
		return text, nil, err
	}
	chunks, err = chunksOf(s.Name, text)
	return text, chunks, err
}

// ReadFile returns the text of a file that is named, with the limits and the messages of Read.
func ReadFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, cannotRead(name, "a file", err)
	}
	if err := regular(info, nil); err != nil {
		return nil, fmt.Errorf("%q %w", name, err)
	}
	text, err := Source{Name: name, Files: disk{}, Below: name}.text(nil)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if at, what := notText(text); what != "" {
		return nil, fmt.Errorf("%s:%d: %s", name, 1+bytes.Count(text[:at], []byte("\n")), what)
	}
	return text, nil
}

// chunksOf splits the text of a file into documents.
func chunksOf(name string, text []byte) ([]chunk, error) {
	unmarked := bytes.TrimPrefix(text, []byte("\ufeff"))
	if at, what := notText(unmarked); what != "" {
		before := unmarked[:at]
		return nil, &unreadable{
			reason: noText,
			file:   name, line: 1 + bytes.Count(before, []byte("\n")),
			column: 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]), message: what,
		}
	}
	return split(name, unmarked), nil
}

// Text reads a regular file with the limits of Read. It reports false if that fails or the file is not text; if Read reads
// the file as one of documents, Read reports the reason.
func (s Source) Text() (text []byte, ok bool) {
	if err := regular(fs.Stat(s.Files, s.Below)); err != nil {
		return nil, false
	}
	text, err := s.text(nil)
	if err != nil {
		return nil, false
	}
	_, wrong := notText(bytes.TrimPrefix(text, []byte("\ufeff")))
	return text, wrong == ""
}

func (s Source) text(input io.Reader) ([]byte, error) {
	if s.Path == StdinName {
		if input == nil {
			return nil, errors.New("there is no standard input to read")
		}
		return limited(s.Name, input, 0)
	}
	file, err := s.Files.Open(s.Below)
	if err != nil {
		return nil, ReadError(s.Name, err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, ReadError(s.Name, err)
	}
	return limited(s.Name, file, info.Size())
}

// limited reads all of a file of about the given size. Of a larger one it reads the beginning.
func limited(name string, r io.Reader, size int64) ([]byte, error) {
	limit := int64(MaxFile)
	if size > MaxFile {
		size, limit = maxPeek, maxPeek
	}
	text := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := text.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, ReadError(name, err)
	}
	if int64(text.Len()) > limit {
		return text.Bytes(), &unreadable{file: name, message: mustBeSmaller, reason: tooLarge}
	}
	if text.Cap() > 2*text.Len() { // a buffer has room to see the end, and there may be very many small files, which stay
		return bytes.Clone(text.Bytes()), nil
	}
	return text.Bytes(), nil
}

// maxPeek is how much is read of a file that is too large, to see whether it is meant for us.
const maxPeek = 1 << 20

const (
	noText   = "not text"
	tooLarge = "too large"
)

var mustBeSmaller = fmt.Sprintf("must not be larger than %d bytes", MaxFile)

// notText returns where text is not UTF-8 text, and the requirement that is not met, empty if it is UTF-8 text.
func notText(text []byte) (at int, what string) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return 0, "must be UTF-8, not UTF-16"
	}
	if at = bytes.IndexByte(text, 0); at >= 0 {
		return at, "must be text: it holds a NUL byte"
	}
	if utf8.Valid(text) {
		return 0, ""
	}
	for at = 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at, fmt.Sprintf("must be UTF-8: byte 0x%02x is not", text[at])
}
