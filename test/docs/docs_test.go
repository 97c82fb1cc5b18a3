package docs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// TestCommands runs the commands of each page in a copy of the checkout with the programs of `make build` in bin/.
func TestCommands(t *testing.T) {
	t.Parallel()
	programs := build(t)
	for _, page := range pages(t) {
		text, err := os.ReadFile(filepath.Join(checkout.Root(), page))
		require.NoError(t, err)
		found, err := commands(string(text))
		require.NoError(t, err, page)
		if len(found) == 0 || page == databasePage {
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			require.NoError(t, checkout.Copy(folder))
			if !strings.HasPrefix(page, "plugins/") { // users make their own folder of this name
				require.NoError(t, os.RemoveAll(filepath.Join(folder, "plugins")))
			}
			link(t, programs, filepath.Join(folder, "bin"))
			at := folder
			if page == tutorial {
				at = t.TempDir()
			}
			for _, c := range found {
				c.check(t, page, at, filepath.Join(folder, "bin"))
			}
		})
	}
}

// build builds the programs of `make build` and `make bin/tools/kustomize`, once for all pages.
func build(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	require.NoError(t, checkout.BuildFunctions(folder))
	require.NoError(t, checkout.BuildCommands(folder))
	require.NoError(t, checkout.BuildTool(filepath.Join(folder, "tools", "kustomize"), "kustomize"))
	return folder
}

// link links the programs into the folder of a page. A command that builds a program replaces only the link.
func link(t *testing.T, programs, folder string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(programs, func(from string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(folder, strings.TrimPrefix(from, programs))
		if entry.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		return os.Link(from, to)
	}))
}

// tutorial is the page whose commands run in an empty folder.
const tutorial = "docs/tutorial/README.md"

// databasePage is the page whose commands need a server: TestFreshDebian runs them.
const databasePage = "docs/tutorial/database.md"

// check runs the command in a folder, with the programs of another one on the PATH.
func (c command) check(t *testing.T, page, folder, programs string) {
	t.Helper()
	if strings.Contains(c.text, "kpt ") {
		if _, err := exec.LookPath("kpt"); err != nil {
			t.Logf("%s:%d: not run: kpt is not on the PATH", page, c.line)
			return
		}
	}
	if strings.Contains(c.text, "--engine process") {
		if out, err := exec.Command("bwrap", "--bind", "/", "/", "true").CombinedOutput(); err != nil {
			// The commands below may read files that this one would have written.
			checkout.LeaveOut(t, "%s from line %d on: bubblewrap does not work: %s %v", page, c.line, out, err)
		}
	}
	run := exec.Command("bash", "-c", c.text)
	run.Dir = folder
	run.Env = append(os.Environ(), "PATH="+programs+":"+filepath.Join(programs, "tools")+":"+os.Getenv("PATH"))
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	err := run.Run()
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	assert.Equal(t, c.exit, run.ProcessState.ExitCode(), "%s:%d: $ %s\n%s", page, c.line, c.text, out.String())
	got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(c.want) > 0 && !matches(c.want, got) {
		t.Errorf("%s:%d: $ %s\nprints\n%s\nbut the page has\n%s", page, c.line, c.text, out.String(), strings.Join(c.want, "\n"))
	}
}

// pageLink is the target of a link: a file, as its path in the checkout, and a section.
type pageLink struct{ file, section string }

// links returns the relative links of a page.
func links(t *testing.T, page string) []pageLink {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), page))
	require.NoError(t, err)
	var found []pageLink
	for _, match := range linkPattern.FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(match[1], "://") {
			continue
		}
		to := pageLink{file: page, section: match[2]}
		if match[1] != "" {
			to.file = filepath.Join(filepath.Dir(page), match[1])
		}
		found = append(found, to)
	}
	return found
}

var linkPattern = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)

// check checks that the target of a link exists, and its section.
func (l pageLink) check(t *testing.T, from string) {
	t.Helper()
	target := filepath.Join(checkout.Root(), l.file)
	_, err := os.Stat(target)
	require.NoError(t, err, "%s links to %s", from, l.file)
	if l.section != "" && strings.HasSuffix(target, ".md") {
		content, err := os.ReadFile(target)
		require.NoError(t, err)
		assert.Contains(t, anchors(string(content)), l.section, "%s links to %s", from, l.file)
	}
}

// TestLinks checks all relative links.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		for _, to := range links(t, page) {
			to.check(t, page)
		}
	}
}

// anchors returns the anchors of a page's headings on GitHub.
func anchors(page string) []string {
	var names []string
	for line := range strings.Lines(page) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			names = append(names, strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
					return unicode.ToLower(r)
				}
				return -1
			}, strings.TrimSpace(title)))
		}
	}
	return names
}

// pages returns the Markdown files that git tracks or would track.
func pages(t *testing.T) []string {
	t.Helper()
	names, err := checkout.Files("*.md")
	require.NoError(t, err)
	return names
}

func TestMatches(t *testing.T) {
	t.Parallel()
	got := []string{"a", "b", "c"}
	for _, want := range [][]string{{"a", "b", "c"}, {"...", "c"}, {"a", "..."}, {"a", "...", "c"}, {"..."}, {"a", "b", "c", "..."}} {
		assert.True(t, matches(want, got), want)
	}
	for _, want := range [][]string{{"a"}, {"a", "b"}, {"...", "b"}, {"b", "..."}, {"a", "...", "d"}, {"a", "b", "c", "d"}} {
		assert.False(t, matches(want, got), want)
	}
}

func TestParseCommands(t *testing.T) {
	t.Parallel()
	page := "text\n```console\n$ one \\\n  two\nout\n$ three\n[exit 1]\n```\n```sh\n$ not this\n```\n"
	found, err := commands(page)
	require.NoError(t, err)
	require.Len(t, found, 2)
	assert.Equal(t, command{line: 3, text: "one \\\n  two", want: []string{"out"}}, found[0])
	assert.Equal(t, 1, found[1].exit)
	for _, page := range []string{"```console\noutput\n```\n", "1. a list\n   ```console\n   $ one\n   ```\n"} {
		_, err := commands(page)
		assert.Error(t, err, page)
	}
}
