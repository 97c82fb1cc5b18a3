package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// git returns a command that only reads. What is set keeps it from fetching what a partial clone lacks, from asking for a
// password, and from speaking another language.
func git(args ...string) *exec.Cmd {
	command := exec.Command("git", append([]string{"--no-pager", "-c", "core.quotepath=off"}, args...)...)
	command.Env = append(command.Environ(), "LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	return command
}

// output runs git and returns the line that it prints.
func output(args ...string) (string, error) {
	command := git(args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		if line, _, _ := strings.Cut(stderr.String(), "\n"); line != "" {
			return "", errors.New(line)
		}
		return "", err
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// batch is a git that runs, answers for one object after the other, and ends with its input.
type batch struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	content bool // it answers with the object's content
}

// start starts git with --batch, which prints objects, or --batch-check, which prints what they are.
func start(mode string) (*batch, error) {
	command := git("cat-file", mode)
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	return &batch{command: command, in: in, out: bufio.NewReader(out), content: mode == "--batch"}, nil
}

var revisionErrLarge = errors.New("too large to be read")

// object returns the size of an object and, where that is what git prints, its content. One that is larger than limit is
// errLarge.
func (b *batch) object(id string, limit int64) (int64, []byte, error) {
	if _, err := io.WriteString(b.in, id+"\n"); err != nil {
		return 0, nil, err
	}
	line, err := b.out.ReadString('\n')
	if err != nil {
		return 0, nil, fmt.Errorf("git ended early: %w", err)
	}
	// `<id> <type> <size>`, or `<id> missing`.
	words := strings.Fields(line)
	if len(words) != 3 {
		return 0, nil, fmt.Errorf("the git repository must have the object %s: fetch it first (a partial clone lacks some)", id)
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return 0, nil, err
	}
	if !b.content {
		return size, nil, nil
	}
	return b.read(size, limit)
}

// read reads an object's content and the newline behind it.
func (b *batch) read(size, limit int64) (int64, []byte, error) {
	if size > limit {
		if _, err := io.CopyN(io.Discard, b.out, size+1); err != nil {
			return 0, nil, fmt.Errorf("git ended early: %w", err)
		}
		return size, nil, revisionErrLarge
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, content); err != nil {
		return 0, nil, fmt.Errorf("git ended early: %w", err)
	}
	return size, content[:size], nil
}

func (b *batch) close() error {
	if b == nil {
		return nil
	}
	return errors.Join(b.in.Close(), b.command.Wait())
}
