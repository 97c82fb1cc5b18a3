package externalplugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/api/externalplugin/v1alpha1"
)

// Limits are what one call may take. A value of 0 means the default.
type Limits struct {
	// Time is how long the plugin may run: 2 minutes by default.
	Time time.Duration
	// Output is how many bytes its response may have: 64 MiB by default.
	Output int64
	// Stderr receives what the plugin prints on stderr; nil drops it.
	Stderr io.Writer
}

const (
	defaultTime   = 2 * time.Minute
	defaultOutput = 64 << 20
	// endGrace is how long a plugin's children may keep its stdout open after it has ended.
	endGrace = time.Second
)

// FailedError is the error of a plugin that answers with `error: true`.
type FailedError struct {
	// Key is the plugin's.
	Key string
	// Messages say why.
	Messages []string
}

// Error is a line for each message.
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

// Call sends a request to the plugin, which runs in the folder of the project, and returns its response. The error is a
// *FailedError if the plugin says that it has failed.
func (p Plugin) Call(
	ctx context.Context, project string, request v1alpha1.Request, limits Limits,
) (*v1alpha1.Response, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("plugin %s: the request must be JSON: %w", p.Key(), err)
	}
	out, err := p.Exchange(ctx, project, text, limits)
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

// Exchange runs the plugin with a text on stdin, and returns what it prints on stdout.
func (p Plugin) Exchange(ctx context.Context, project string, stdin []byte, limits Limits) ([]byte, error) {
	if limits.Time == 0 {
		limits.Time = defaultTime
	}
	if limits.Output == 0 {
		limits.Output = defaultOutput
	}
	limited, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	out := &limitedBuffer{left: limits.Output, full: cancel}
	command := exec.CommandContext(limited, p.Path)
	command.Dir, command.Stdin, command.Stdout, command.Stderr = project, bytes.NewReader(stdin), out, limits.Stderr
	command.WaitDelay = endGrace
	ownGroup(command)
	err := command.Run()
	endGroup(command)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.overflow:
		return nil, fmt.Errorf("plugin %s: the response must have at most %d bytes", p.Key(), limits.Output)
	case limited.Err() != nil:
		return nil, fmt.Errorf("plugin %s: no response within %s", p.Key(), limits.Time)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("plugin %s: must exit with 0 and report errors in its response, not end with %w", p.Key(), exit)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, fmt.Errorf("plugin %s: a process that it started keeps its stdout open after it has ended", p.Key())
	case err != nil:
		return nil, fmt.Errorf("plugin %s: must be a program that runs here: %w", p.Key(), err)
	}
	return out.kept.Bytes(), nil
}

// Decode reads a response as kubebuilder does: one JSON object, whose keys may be spelled in any case.
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

// limitedBuffer keeps what is written up to a limit, and ends the plugin if there is more.
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
