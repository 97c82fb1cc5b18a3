package container

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
)

// exitNotStarted is the exit code in a cluster of a container that the runtime could not start:
// https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/kuberuntime/kuberuntime_container.go
const exitNotStarted = 128

// exitFailed is the exit code of a step whose outputs cannot be read, as for a helper in a cluster.
const exitFailed = 1

// state has fields of .State of `inspect`.
type state struct {
	ExitCode  int
	OOMKilled bool
	Error     string
	StartedAt time.Time
}

// result returns the result of a container.
func (e *Engine) result(
	ctx context.Context, id string, container localrun.Container, folder string, log *end, startErr error,
) (localrun.Result, error) {
	text, err := e.output(ctx, "inspect", "--type", "container", "--format", "{{json .State}}", id)
	if err != nil {
		return localrun.Result{}, errors.Join(startErr, err)
	}
	var ended state
	if err := json.Unmarshal([]byte(text), &ended); err != nil {
		return localrun.Result{}, fmt.Errorf("%s inspect: %w", e.name, err)
	}
	if ended.StartedAt.Unix() <= 0 {
		reason := ended.Error
		if reason == "" {
			reason = lastLine(log.text())
		}
		return localrun.Result{ExitCode: exitNotStarted, Message: oneLine(reason)}, nil
	}
	result := localrun.Result{ExitCode: ended.ExitCode, Message: e.message(container.Template, folder, ended, log)}
	if result.ExitCode != 0 || container.Plan == nil {
		return result, nil
	}
	result.Outputs, err = e.outputs(ctx, id, ioFolder(folder), container.Plan.Outputs)
	var engineErr *engineError
	if errors.As(err, &engineErr) {
		return result, err
	}
	if err != nil {
		return localrun.Result{ExitCode: exitFailed, Message: fmt.Sprintf("step %q: %v", container.Plan.Step, err)}, nil
	}
	return result, nil
}

// Sizes that a kubelet keeps of a termination message, and of a log used instead:
// https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/container/runtime.go
const (
	maxMessage  = 4096
	maxLog      = 2048
	maxLogLines = 80
)

// message returns the termination message on one line.
func (e *Engine) message(template *corev1.PodTemplateSpec, folder string, ended state, log *end) string {
	text := tail(messageFile(folder), maxMessage)
	policy := main(template).TerminationMessagePolicy
	if text == "" && ended.ExitCode != 0 && policy == corev1.TerminationMessageFallbackToLogsOnError {
		text = log.text()
	}
	if text == "" && ended.OOMKilled {
		text = "a process of main was out of memory: raise the memory limit of main"
	}
	return oneLine(text)
}

// tail returns the end of a regular file that a container may have written.
func tail(name string, limit int64) string {
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.Size() > limit {
		_, _ = file.Seek(-limit, io.SeekEnd)
	}
	content, _ := io.ReadAll(io.LimitReader(file, limit))
	return string(content)
}

func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.TrimSpace(text))
}

// end keeps the end of a log.
type end struct{ kept []byte }

func (e *end) Write(content []byte) (int, error) {
	e.kept = append(e.kept, content...)
	if extra := len(e.kept) - maxLog; extra > 0 {
		e.kept = append(e.kept[:0], e.kept[extra:]...)
	}
	return len(content), nil
}

// text returns the lines that a kubelet keeps.
func (e *end) text() string {
	lines := strings.SplitAfter(string(e.kept), "\n")
	return strings.Join(lines[max(0, len(lines)-maxLogLines-1):], "")
}

// engineError is an error of the engine, not of a step.
type engineError struct{ err error }

func (e *engineError) Error() string { return e.err.Error() }
func (e *engineError) Unwrap() error { return e.err }

// maxOutputStream limits the bytes read from the folder with outputs, which a script can fill.
const maxOutputStream = 16 * contract.MaxOutputBytes

// outputs reads the outputs that the runner has written. A script may have replaced them: links and pipes are ignored, so
// they count as missing.
func (e *Engine) outputs(ctx context.Context, id, folder string, declared []contract.Output) (map[string][]byte, error) {
	volume, err := runner.OpenVolume(folder)
	if err != nil || len(declared) == 0 {
		return map[string][]byte{}, err
	}
	names := map[string]string{}
	for _, output := range declared {
		names[path.Join(path.Base(contract.OutputsFolder), output.Name)] = output.Name
	}
	remaining := int64(maxOutputStream)
	err = e.copyFrom(ctx, id, contract.OutputsFolder, func(header *tar.Header, content io.Reader) error {
		if remaining -= header.Size; remaining < 0 {
			return runner.TooLarge()
		}
		name, isOutput := names[path.Clean(header.Name)]
		if !isOutput || header.Typeflag != tar.TypeReg {
			return nil
		}
		value, err := io.ReadAll(content)
		if err != nil {
			return &engineError{err}
		}
		return volume.WriteOutput(name, value)
	})
	if err != nil {
		return nil, err
	}
	return volume.Outputs(declared)
}

// copyFrom reads a file or folder from a container, and calls read for each entry.
func (e *Engine) copyFrom(ctx context.Context, id, file string, read func(*tar.Header, io.Reader) error) error {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	command := e.command(limited, "cp", id+":"+file, "-")
	var stderr strings.Builder
	command.Stderr = &stderr
	stream, err := command.StdoutPipe()
	if err != nil {
		return &engineError{err}
	}
	if err := command.Start(); err != nil {
		return &engineError{err}
	}
	readErr := eachEntry(stream, read)
	if readErr != nil {
		cancel() // stop without reading the rest
	}
	if err := command.Wait(); err != nil && (readErr == nil || stderr.Len() > 0) {
		return &engineError{e.failed(command, &stderr, err)}
	}
	return readErr
}

func eachEntry(stream io.Reader, read func(*tar.Header, io.Reader) error) error {
	archive := tar.NewReader(stream)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, stream)
			return err
		}
		if err != nil {
			return fmt.Errorf("cannot read the files of the container: %w", err)
		}
		if err := read(header, archive); err != nil {
			return err
		}
	}
}
