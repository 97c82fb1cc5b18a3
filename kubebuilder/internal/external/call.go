package external

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// Limits of a call. A value of 0 means the default.
type Limits struct {
	// Time limits the run time of the plugin: 2 minutes by default.
	Time time.Duration
	// Output limits the size of the response, in bytes: 256 MiB by default.
	Output int64
	// Stderr receives the plugin's stderr; nil discards it.
	Stderr io.Writer
}

const (
	defaultTime   = 2 * time.Minute
	defaultOutput = 256 << 20
	// endGrace is how long a plugin's children may keep its stdout open after it has exited.
	endGrace = time.Second
)

// ErrTime is the error of a plugin that has not answered in time.
var ErrTime = errors.New("no response in time")

// timeError is an ErrTime with the plugin and its limit.
type timeError struct{ error }

// TimeError returns an ErrTime about a program that was ended at its limit.
func TimeError(program string, limit time.Duration) error {
	return timeError{fmt.Errorf("%s: no response within %s", program, limit)}
}

// Is implements errors.Is.
func (timeError) Is(target error) bool { return target == ErrTime }

// FailedError is the error of a plugin that answers with `error: true`.
type FailedError struct {
	// Key is the key of the plugin.
	Key string
	// Messages are the reasons.
	Messages []string
}

// Error returns a line for each message.
func (e *FailedError) Error() string {
	if len(e.Messages) == 0 {
		return fmt.Sprintf("plugin %s failed without a message: it must give errorMsgs", e.Key)
	}
	lines := make([]string, len(e.Messages))
	for i, message := range e.Messages {
		lines[i] = fmt.Sprintf("plugin %s: %s", e.Key, message)
	}
	return strings.Join(lines, "\n")
}

// Universe calls a function with each file of a project. It returns the function's error, or an error reading the project.
type Universe func(file func(name string, content []byte) error) error

// Call sends a request to the plugin, which runs in the folder of the project, and returns its response. Unless universe is
// nil, it replaces the universe of the request, and needs only as much memory as its largest file. If the plugin reports a
// failure, the error is a *FailedError.
func (p Plugin) Call(
	ctx context.Context, project string, request v1alpha1.Request, universe Universe, limits Limits,
) (*v1alpha1.Response, error) {
	if universe == nil {
		universe = func(func(string, []byte) error) error { return nil }
	}
	reader, writer := io.Pipe()
	var failed error
	var sent sync.WaitGroup
	sent.Go(func() {
		failed = writeRequest(writer, request, universe)
		_ = writer.CloseWithError(failed)
	})
	out, err := p.Exchange(ctx, project, reader, limits)
	_ = reader.Close() // if the plugin has not read everything
	sent.Wait()
	if failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	response, err := Decode(out)
	switch {
	case err != nil:
		return nil, fmt.Errorf("plugin %s: %w", p.Key(), err)
	case response.Error:
		return nil, &FailedError{p.Key(), response.ErrorMsgs}
	}
	return response, nil
}

// writeRequest writes a request as one JSON object, with a universe that is written file by file.
func writeRequest(out io.Writer, request v1alpha1.Request, universe Universe) error {
	own := request.Universe
	request.Universe = nil
	text, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("the request must be JSON: %w", err)
	}
	before, after, _ := bytes.Cut(text, []byte(emptyUniverse))
	buffered := bufio.NewWriter(out)
	_, _ = buffered.Write(before)
	_, _ = buffered.WriteString(`"universe":{`)
	separator := ""
	file := func(name string, content []byte) error {
		key, _ := json.Marshal(name)
		value, _ := json.Marshal(string(content))
		_, err := fmt.Fprintf(buffered, "%s%s:%s", separator, key, value)
		separator = ","
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if err := file(name, []byte(own[name])); err != nil {
			return err
		}
	}
	if err := universe(file); err != nil {
		return err
	}
	_, _ = buffered.WriteString("}")
	_, _ = buffered.Write(after)
	return buffered.Flush()
}

// emptyUniverse is an empty universe as JSON.
const emptyUniverse = `"universe":null`

// Exchange runs the plugin with a request on stdin, and returns its stdout.
func (p Plugin) Exchange(ctx context.Context, project string, stdin io.Reader, limits Limits) ([]byte, error) {
	if limits.Time == 0 {
		limits.Time = defaultTime
	}
	if limits.Output == 0 {
		limits.Output = defaultOutput
	}
	program, err := filepath.Abs(p.Path) // relative to the working directory of this process, not the plugin's
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	out := &limitedBuffer{left: limits.Output, full: cancel}
	command := exec.CommandContext(limited, program)
	command.Dir, command.Stdin, command.Stdout, command.Stderr = project, stdin, out, limits.Stderr
	err = Run(command)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.overflow:
		return nil, fmt.Errorf("plugin %s: the response must have at most %d bytes", p.Key(), limits.Output)
	case limited.Err() != nil:
		return nil, TimeError("plugin "+p.Key(), limits.Time)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("plugin %s: must exit with 0 and report errors in its response, not end with %w", p.Key(), exit)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, fmt.Errorf("plugin %s: a process that it started keeps its stdout or stderr open after it has ended", p.Key())
	case err != nil:
		return nil, fmt.Errorf("plugin %s: must be a program that runs here: %w", p.Key(), err)
	}
	return out.kept.Bytes(), nil
}

// Run runs a command in its own process group. When it has ended, or its context has, no process that it has started
// remains.
func Run(command *exec.Cmd) error {
	command.WaitDelay = endGrace
	setGroup(command)
	return run(command)
}

// Decode decodes a response as kubebuilder does: one JSON object, whose keys may have any case.
func Decode(text []byte) (*v1alpha1.Response, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var response *v1alpha1.Response
	if err := decoder.Decode(&response); err != nil {
		return nil, fmt.Errorf("the response must be one JSON object: %w", err)
	}
	if response == nil {
		return nil, errors.New("the response must be one JSON object, not null")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the response must be one JSON object, and nothing else may be on stdout: print messages to stderr")
	}
	return response, nil
}

// limitedBuffer buffers output up to a limit, and stops the plugin if there is more.
type limitedBuffer struct {
	kept     bytes.Buffer // not embedded: io.Copy would call its ReadFrom, which has no limit
	left     int64
	full     func()
	overflow bool
}

func (b *limitedBuffer) Write(text []byte) (int, error) {
	if b.left -= int64(len(text)); b.left < 0 {
		b.overflow = true
		b.full()
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(text)
}
