package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// Exchange is a recorded request with the expected response.
type Exchange struct {
	// Name is the name of the files without their suffixes.
	Name string
	// Request is the JSON of the request.
	Request []byte
	// Response is the expected response; nil if it is not recorded.
	Response *v1alpha1.Response
}

// ReadExchanges reads the exchanges of a folder, sorted by name: NAME.request.json and NAME.response.json.
func ReadExchanges(folder string) ([]Exchange, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []Exchange
	for _, entry := range entries {
		name, isRequest := strings.CutSuffix(entry.Name(), v1alpha1.RequestFile)
		if !isRequest {
			continue
		}
		exchange := Exchange{Name: name}
		if exchange.Request, err = os.ReadFile(filepath.Join(folder, entry.Name())); err != nil {
			return nil, err
		}
		file := filepath.Join(folder, name+v1alpha1.ResponseFile)
		text, err := os.ReadFile(file)
		switch {
		case err == nil:
			if exchange.Response, err = external.Decode(text); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		all = append(all, exchange)
	}
	return all, nil
}

// replay sends the requests of the exchanges, and compares the responses with the recorded ones.
func (h Harness) replay(ctx context.Context) ([]Result, error) {
	var results []Result
	for _, exchange := range h.Exchanges {
		h.progress(exchange.Name)
		result, err := h.inFolder(ctx, exchange.Name, func(s *session) { s.replay(exchange) })
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

func (s *session) replay(exchange Exchange) {
	if exchange.Response == nil {
		s.fail("must have a response: %s%s is missing; --record writes it", exchange.Name, v1alpha1.ResponseFile)
		return
	}
	text, err := s.exchange(exchange.Request)
	if err != nil {
		if !s.isHung { // which has been reported
			s.fail("%v", err)
		}
		return
	}
	got, err := external.Decode(text)
	if err != nil {
		s.fail("%v", err)
		return
	}
	s.failures = append(s.failures, Differences(exchange.Response, got)...)
}

// Differences returns a message for each field of a response that differs from the recorded exchange.
func Differences(want, got *v1alpha1.Response) []string {
	d := &differences{}
	d.text("apiVersion", want.APIVersion, got.APIVersion)
	d.text("command", want.Command, got.Command)
	d.text("metadata.Description", want.Metadata.Description, got.Metadata.Description)
	d.text("metadata.Examples", want.Metadata.Examples, got.Metadata.Examples)
	d.text("error", strconv.FormatBool(want.Error), strconv.FormatBool(got.Error))
	d.list("errorMsgs", want.ErrorMsgs, got.ErrorMsgs)
	d.list("deleted", want.Deleted, got.Deleted)
	d.flags(want.Flags, got.Flags)
	d.universe(want.Universe, got.Universe)
	return *d
}

// differences are messages about fields.
type differences []string

func (d *differences) add(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

// text compares two texts. For long texts, the message shows the first different line.
func (d *differences) text(field, want, got string) {
	if want == got {
		return
	}
	const longest = 120
	if len(want) <= longest && len(got) <= longest && !strings.Contains(want+got, "\n") {
		d.add("%s: must be %q, not %q", field, want, got)
		return
	}
	wanted, given := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	at := 0
	for at < len(wanted) && at < len(given) && wanted[at] == given[at] {
		at++
	}
	d.add("%s: line %d must be %q, not %q", field, at+1, lineAt(wanted, at), lineAt(given, at))
}

func lineAt(lines []string, at int) string {
	const longest = 120
	if at >= len(lines) {
		return ""
	}
	line := lines[at]
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + "…"
	}
	return line
}

func (d *differences) list(field string, want, got []string) {
	if !slices.Equal(want, got) {
		d.add("%s: must be %q, not %q", field, want, got)
	}
}

// flags compares flags by name.
func (d *differences) flags(want, got []v1alpha1.Flag) {
	wanted, given := byName(want), byName(got)
	for _, flag := range want {
		other, found := given[flag.Name]
		if !found {
			d.add("flags: must have %q", flag.Name)
			continue
		}
		field := fmt.Sprintf("flags[%q]", flag.Name)
		d.text(field+".Type", flag.Type, other.Type)
		d.text(field+".Default", flag.Default, other.Default)
		d.text(field+".Usage", flag.Usage, other.Usage)
	}
	for _, flag := range got {
		if _, found := wanted[flag.Name]; !found {
			d.add("flags: must not have %q", flag.Name)
		}
	}
}

func byName(flags []v1alpha1.Flag) map[string]v1alpha1.Flag {
	all := map[string]v1alpha1.Flag{}
	for _, flag := range flags {
		all[flag.Name] = flag
	}
	return all
}

// universe compares the files of two responses.
func (d *differences) universe(want, got map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if content, found := got[name]; found {
			d.text(fmt.Sprintf("universe[%q]", name), want[name], content)
		} else {
			d.add("universe: must have %q", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, found := want[name]; !found {
			d.add("universe: must not have %q", name)
		}
	}
}

// Record sends the requests of the exchanges, or the default requests if there are no exchanges, and returns the contents of
// the files with requests and responses, by file name.
func (h Harness) Record(ctx context.Context) (map[string][]byte, error) {
	exchanges := h.Exchanges
	if len(exchanges) == 0 {
		exchanges = h.usual()
	}
	files := map[string][]byte{}
	for _, exchange := range exchanges {
		h.progress(exchange.Name)
		var answer []byte
		var failed error
		if _, err := h.inFolder(ctx, exchange.Name, func(s *session) {
			answer, failed = s.exchange(exchange.Request)
		}); err != nil {
			return nil, err
		}
		if failed == nil {
			_, failed = external.Decode(answer)
		}
		if failed != nil {
			return nil, fmt.Errorf("%s: %w", exchange.Name, failed)
		}
		files[exchange.Name+v1alpha1.RequestFile] = indented(exchange.Request)
		files[exchange.Name+v1alpha1.ResponseFile] = indented(answer)
	}
	return files, nil
}

// usual returns the requests that kubebuilder sends for each subcommand, without responses.
func (h Harness) usual() []Exchange {
	var all []Exchange
	add := func(name string, request v1alpha1.Request) {
		text, err := json.Marshal(request)
		if err != nil {
			panic(err) // all values can be encoded
		}
		all = append(all, Exchange{Name: name, Request: text})
	}
	s := &session{Harness: h}
	for _, command := range commands {
		add(strings.ReplaceAll(command, " ", "-"), s.request(command))
	}
	for _, command := range []string{v1alpha1.CommandFlags, v1alpha1.CommandMetadata} {
		for _, arg := range v1alpha1.Subcommands() {
			add(command+arg[1:], question(command, arg))
		}
	}
	return all
}

// indented formats JSON for people. Invalid JSON is returned unchanged.
func indented(text []byte) []byte {
	var out bytes.Buffer
	if json.Indent(&out, bytes.TrimSpace(text), "", "  ") != nil {
		return text
	}
	return append(out.Bytes(), '\n')
}
