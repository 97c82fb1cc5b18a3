package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// stream is stdin mode: a ResourceList in, a ResourceList out.
func (r *run) stream() int {
	if IsTerminal(r.stdin) {
		return r.fail(errors.New("a ResourceList must come on stdin, or paths must be given: see --help"))
	}
	list, err := readList(r.stdin)
	if errors.Is(err, krm.ErrDocument) {
		err = fmt.Errorf("%w; to read documents from stdin, use %q", err, r.Command+" -")
	}
	if incomplete := (*krm.ItemsError)(nil); errors.As(err, &incomplete) {
		return r.reject(incomplete.List)
	}
	if err != nil {
		return r.fail(fmt.Errorf("stdin: %w", err))
	}
	call := Call{List: list, ConfigName: r.Name, wrong: &flagErrors{}}
	summary, err := r.process(&call)
	if err != nil {
		return r.fail(err)
	}
	if len(*call.wrong) == 0 {
		list.SetResults(r.suppress(list, list.Results()))
	}
	if _, err := list.WriteTo(r.stdout); err != nil {
		return r.fail(err)
	}
	return r.end(list.Results(), true, summary)
}

// reject prints a list whose results explain why the function did not run.
func (r *run) reject(list *krm.ResourceList) int {
	if _, err := list.WriteTo(r.stdout); err != nil {
		return r.fail(err)
	}
	return r.end(list.Results(), true, "")
}

// process reads the functionConfig and runs the function. If the config is wrong the results say so, and the function
// does not run.
func (r *run) process(call *Call) (summary string, err error) {
	if node := call.List.FunctionConfig(); node != nil {
		call.config = krm.FromNode(node, "")
		if name := call.config.Name(); name != "" {
			call.ConfigName = name
		}
		if problems := r.configure(call.config); len(problems) > 0 {
			for _, p := range problems {
				call.ConfigError(p.Path, p.Message)
			}
			return "", nil
		}
	}
	return r.config.Process(*call)
}

// readList reads a stream to its end, into memory of the right size if it is a file.
func readList(stream io.Reader) (*krm.ResourceList, error) {
	var text bytes.Buffer
	if isRegular(stream) {
		if info, err := stream.(*os.File).Stat(); err == nil {
			text.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	if _, err := text.ReadFrom(stream); err != nil {
		return nil, err
	}
	return krm.Parse(text.Bytes())
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
