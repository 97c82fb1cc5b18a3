package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// needsTerminal skips the test if the machine has no pseudo-terminals, as a chroot without /dev/ptmx.
func needsTerminal(t *testing.T) {
	t.Helper()
	screen, terminal, err := pty.Open()
	if err != nil {
		leaveOut(t, "no pseudo-terminal can be opened: "+err.Error())
	}
	require.NoError(t, errors.Join(screen.Close(), terminal.Close()))
}

// leaveOut skips the test, or fails it where all tests must run.
func leaveOut(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("TEST_SKIPS") == "none" {
		t.Fatal(reason)
	}
	t.Skip("skipped: " + reason)
}

// TestDemo records the demonstration of the README again and compares it with the picture.
func TestDemo(t *testing.T) {
	t.Parallel()
	needsTerminal(t)
	if out, err := exec.Command("bwrap", "--bind", "/", "/", "true").CombinedOutput(); err != nil {
		leaveOut(t, "rplug test --engine process needs bubblewrap, which does not work: "+err.Error()+" "+string(out))
	}
	checkout := filepath.Join("..", "..")
	programs := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", programs+"/", "./cmd/rplug")
	build.Dir, build.Env = checkout, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	script, err := os.ReadFile(filepath.Join(checkout, "docs", "pictures", "demo.txt"))
	require.NoError(t, err)
	got, err := record(string(script), programs)
	require.NoError(t, err)
	picture := filepath.Join(checkout, "docs", "pictures", "demo.svg")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(picture, got, 0o644))
	}
	want, err := os.ReadFile(picture)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "docs/pictures/demo.svg is out of date: run make golden")
	assert.Less(t, len(got), 50_000, "a README must load fast")
}

func TestRecord(t *testing.T) {
	t.Parallel()
	needsTerminal(t)
	const script = "title A test\nsize 20x4\nhidden echo secret > file\n$ printf '\\033[1;31ma<b\\033[0m c'\nclear\n" +
		"$ cat none 2>/dev/null\n[exit 1]\npause 2s\n"
	first, err := record(script, ".")
	require.NoError(t, err)
	second, err := record(script, ".")
	require.NoError(t, err)
	assert.Equal(t, string(first), string(second))
	assert.Contains(t, string(first), `class="c1 b i`)
	assert.Contains(t, string(first), ">a&lt;b</text>")
	assert.NotContains(t, string(first), "secret")
	decoder := xml.NewDecoder(strings.NewReader(string(first)))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
}

// Viewers that show the first frame only, or no animation, show the last screen.
func TestRecord_startsWithTheLastScreen(t *testing.T) {
	t.Parallel()
	needsTerminal(t)
	picture, err := record("title A\nsize 20x4\n$ echo first\nclear\n$ echo last\npause 1s\n", ".")
	require.NoError(t, err)
	visible := regexp.MustCompile(`\.(i\d+)\{animation-name:i\d+\}@keyframes i\d+\{0%\{visibility:visible\}`)
	var seen []string
	for _, class := range visible.FindAllStringSubmatch(string(picture), -1) {
		text := regexp.MustCompile(`<text [^>]*class="[^"]*\b` + class[1] + `"[^>]*>([^<]*)</text>`)
		for _, found := range text.FindAllStringSubmatch(string(picture), -1) {
			seen = append(seen, found[1])
		}
	}
	assert.Equal(t, []string{"$", "echo last", "last"}, seen)
	hidden := regexp.MustCompile(`\.(i\d+)\{visibility:hidden\}`).FindAllStringSubmatch(string(picture), -1)
	assert.Less(t, len(hidden), strings.Count(string(picture), "@keyframes"), "without animations something is visible")
}

func TestRecord_commandFails(t *testing.T) {
	t.Parallel()
	needsTerminal(t)
	for script, message := range map[string]string{
		"title A\n$ exit 3":           "line 2: exit code 3, not 0",
		"title A\n\nhidden exit 4":    "line 3: exit code 4, not 0",
		"title A\n$ true\n[exit 1]":   "line 2: exit code 0, not 1",
		"$ true":                      "title is missing",
		"title A\ntrue":               `line 2: "true": must start with`,
		"title A\nsize 20":            `line 2: "size 20": must be COLSxROWS`,
		"title A\nclear\n[exit 1]":    `line 3: "[exit 1]": must follow a command`,
		"title A\npause long":         `line 2: "pause long": time: invalid duration`,
		"title A\n$ true\n[exit one]": `line 3: "[exit one]": strconv.Atoi`,
	} {
		_, err := record(script, ".")
		assert.ErrorContains(t, err, message, script)
	}
}

// Cells that appear and disappear together are one text, and are separate from other cells.
func TestTextRuns(t *testing.T) {
	t.Parallel()
	screens := []string{"    ", "ab  ", "ab c", "    "}
	r := recording{cols: 4, rows: 1, length: 4 * time.Second}
	for i, screen := range screens {
		cells := make([]vt10x.Glyph, 0, len(screen))
		for _, char := range screen {
			cells = append(cells, vt10x.Glyph{Char: char, FG: vt10x.DefaultFG})
		}
		r.frames = append(r.frames, frame{from: time.Duration(i) * time.Second, cells: [][]vt10x.Glyph{cells}})
	}
	assert.Equal(t, []textRun{
		{text: "ab", interval: interval{time.Second, 3 * time.Second}},
		{x: 3, text: "c", interval: interval{2 * time.Second, 3 * time.Second}},
	}, textRuns(r))
}
