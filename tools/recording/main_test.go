package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDemo records the demonstration of the README again and compares it with the picture.
func TestDemo(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("bwrap", "--bind", "/", "/", "true").CombinedOutput(); err != nil {
		reason := "rplug test --engine process needs bubblewrap, which does not work: " + err.Error() + " " + string(out)
		if os.Getenv("TEST_SKIPS") == "none" {
			t.Fatal(reason)
		}
		t.Skip("skipped: " + reason)
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

func TestRecord_commandFails(t *testing.T) {
	t.Parallel()
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
