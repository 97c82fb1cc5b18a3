package atomicfile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// patch(1) makes the new files of the old ones and a diff.
func TestPatchAppliesDiffs(t *testing.T) {
	t.Parallel()
	program := checkout.Program(t, "git", "git")
	changes := []atomicfile.Change{
		{Path: "ended", Before: []byte("a\nb\nc\n"), After: []byte("a\nB\nc\n")},
		{Path: "both", Before: []byte("a\nb"), After: []byte("a\nc")},
		{Path: "gains", Before: []byte("a\nb"), After: []byte("a\nb\n")},
		{Path: "loses", Before: []byte("a\nb\n"), After: []byte("a\nb")},
		{Path: "new", After: []byte("x\ny")},
		{Path: "sub/new", After: []byte("x\n")},
		{Path: "gone", Before: []byte("x\n")},
		{Path: "far", Before: []byte(strings.Repeat("l\n", 40) + "end"), After: []byte("start\n" + strings.Repeat("l\n", 40) + "END")},
	}
	folder := t.TempDir()
	want := map[string]string{}
	for _, c := range changes {
		if c.Before != nil {
			require.NoError(t, os.WriteFile(filepath.Join(folder, c.Path), c.Before, 0o600))
		}
		if c.After != nil {
			want[c.Path] = string(c.After)
		}
	}
	command := exec.Command(program, "apply", "-")
	command.Dir, command.Stdin = folder, strings.NewReader(string(atomicfile.Diff(changes)))
	command.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(folder))
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	got := map[string]string{}
	for _, c := range changes {
		text, err := os.ReadFile(filepath.Join(folder, c.Path))
		if err == nil {
			got[c.Path] = string(text)
		}
	}
	assert.Equal(t, want, got)
}

func TestLargeDiffsAreCut(t *testing.T) {
	t.Parallel()
	long := []byte(strings.Repeat("x\n", 6000))
	assert.Equal(t, "--- /dev/null\n+++ b/long\n# 0 and 6000 lines, too many to compare\n",
		string(atomicfile.Diff([]atomicfile.Change{{Path: "long", After: long}})))
	many := make([]atomicfile.Change, 1000)
	for i := range many {
		many[i] = atomicfile.Change{Path: "f", After: []byte("x\n")}
	}
	assert.Less(t, strings.Count(string(atomicfile.Diff(many)), "\n"), 510)
}
