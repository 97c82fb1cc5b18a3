package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"golang.org/x/term"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// stream is stdin mode: a ResourceList in, a ResourceList out.
func (r *run) stream() int {
	if isTerminal(r.stdin) {
		return r.fail(errors.New("a ResourceList must come on stdin, or paths must be given: see --help"))
	}
	src, err := readAll(r.stdin)
	if err != nil {
		return r.fail(fmt.Errorf("stdin: %w", err))
	}
	list, err := krm.Parse(src)
	if err != nil {
		return r.fail(fmt.Errorf("stdin: %w", err))
	}
	summary, err := r.process(list)
	if err != nil {
		return r.fail(err)
	}
	if _, err := list.WriteTo(r.stdout); err != nil {
		return r.fail(err)
	}
	return r.end(list.Results(), true, summary)
}

// process configures the function and lets it work. A config that does not fit is a result, and the list stays as it is.
func (r *run) process(list *krm.ResourceList) (summary string, err error) {
	call := Call{List: list, ConfigName: r.Name}
	if node := list.FunctionConfig(); node != nil {
		call.config = krm.FromNode(node, "")
		if name := call.config.Name(); name != "" {
			call.ConfigName = name
		}
		if problems := r.configure(call.config); len(problems) > 0 {
			for _, p := range problems {
				list.Report(call.misconfigured(p.Path, p.Message))
			}
			return "", nil
		}
	}
	return r.config.Process(call)
}

// readAll reads a stream to its end, into memory of the right size where it is a file.
func readAll(stream io.Reader) ([]byte, error) {
	if f := file(stream); f != nil {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			all := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
			_, err := all.ReadFrom(f)
			return all.Bytes(), err
		}
	}
	return io.ReadAll(stream)
}

func isTerminal(stream any) bool {
	f := file(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}
