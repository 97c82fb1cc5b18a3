package pipeline

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// programs replace those that reach the API of a forge, or install something.
//
//go:embed programs/*
var programs embed.FS

// API stands in for that of a forge, and records its calls.
type API struct {
	t            *testing.T
	folder, home string
}

func newAPI(t *testing.T) *API {
	t.Helper()
	a := &API{t: t, folder: t.TempDir(), home: t.TempDir()}
	found, err := fs.ReadDir(programs, "programs")
	require.NoError(t, err)
	for _, program := range found {
		text, err := fs.ReadFile(programs, "programs/"+program.Name())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(a.folder, program.Name()), text, 0o700)) //nolint:gosec // a program
	}
	a.write("open", "")
	return a
}

func (a *API) write(name, text string) {
	a.t.Helper()
	require.NoError(a.t, os.WriteFile(filepath.Join(a.folder, name), []byte(text), 0o600))
}

func (a *API) read(name string) string {
	a.t.Helper()
	text, err := os.ReadFile(filepath.Join(a.folder, name))
	if !os.IsNotExist(err) {
		require.NoError(a.t, err)
	}
	return string(text)
}

// Open sets the pull requests that are open.
func (a *API) Open(numbers ...int) {
	a.t.Helper()
	var text strings.Builder
	for _, number := range numbers {
		fmt.Fprintln(&text, number)
	}
	a.write("open", text.String())
}

// Fail makes the question whether a pull request is open fail.
func (a *API) Fail(fails bool) {
	a.t.Helper()
	if fails {
		a.write("fails", "")
		return
	}
	require.NoError(a.t, os.Remove(filepath.Join(a.folder, "fails")))
}

// Comment returns the comment of the CI on a pull request.
func (a *API) Comment(number int) string { return a.read(fmt.Sprintf("comment-%d", number)) }

// Expired returns the call that opened the pull request of the branch expired-sandboxes.
func (a *API) Expired() string { return a.read("expired") }

// Calls returns the calls of a program since the last call of Calls.
func (a *API) Calls(program string) (calls []string) {
	a.t.Helper()
	var others strings.Builder
	for line := range strings.Lines(a.read("calls")) {
		if arguments, ok := strings.CutPrefix(line, program+" "); ok {
			calls = append(calls, strings.TrimSpace(arguments))
		} else {
			others.WriteString(line)
		}
	}
	a.write("calls", others.String())
	return slices.Clip(calls)
}
