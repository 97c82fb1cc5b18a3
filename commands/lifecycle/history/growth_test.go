package history_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/history"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/test/framework/growth"
)

// size is the size of a history: commits that each change one sandbox of the first file, sandboxes in that file, and other
// files with one sandbox each.
type size struct{ commits, sandboxes, files int }

// stream returns the history for git fast-import.
func (s size) stream() []byte {
	var stream bytes.Buffer
	versions := make([]int, s.sandboxes)
	put := func(file string, text []byte) {
		fmt.Fprintf(&stream, "M 100644 inline %s.yaml\ndata %d\n%s\n", file, len(text), text)
	}
	for n := range s.commits {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter t <t@localhost> %d +0000\ndata 1\nx\n", start.Unix()+int64(n)*60)
		versions[n%s.sandboxes]++
		var text bytes.Buffer
		for name, version := range versions {
			writeSandbox(&text, fmt.Sprintf("s%d", name), version)
		}
		put("all", text.Bytes())
		for file := range s.files {
			if n == 0 {
				text.Reset()
				writeSandbox(&text, fmt.Sprintf("f%d", file), 0)
				put(fmt.Sprintf("f%d", file), text.Bytes())
			}
		}
	}
	return stream.Bytes()
}

func writeSandbox(text *bytes.Buffer, name string, version int) {
	fmt.Fprintf(text, "---\napiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: %s}\nspec:\n  cluster: demo\n"+
		"  labels: {version: \"%d\"}\n  ttl: {duration: 2d}\n", name, version)
}

// The cost is in proportion to the size of the history, not to that of its parts with each other.
func TestHistory_growth(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	growth.Check(t, growth.Test[size]{
		Dimensions: map[string]func(s *size, n int){
			"commits":   func(s *size, n int) { s.commits += n },
			"sandboxes": func(s *size, n int) { s.sandboxes += n },
			"files":     func(s *size, n int) { s.files += n },
		},
		Few: 40,
		Prepare: func(s *size) func() int {
			whole := size{s.commits + 2, s.sandboxes + 2, s.files}
			folder, stream := t.TempDir(), whole.stream()
			git(t, nil, "init", "-q", "-b", "main", folder)
			git(t, stream, "-C", folder, "fast-import", "--quiet")
			git(t, nil, "-C", folder, "reset", "-q", "--hard", "main")
			t.Chdir(folder)
			read, err := load.Read([]string{"."}, load.Options{})
			require.NoError(t, err)
			return func() int {
				t.Chdir(folder)
				h, err := history.Open(load.Options{}, start.Add(10000*60*1e9))
				require.NoError(t, err)
				lives, err := h.Lives(read.Documents, read.Documents)
				require.NoError(t, err)
				require.Len(t, lives, whole.sandboxes+whole.files)
				past, err := h.Past()
				require.NoError(t, err)
				require.Len(t, past, whole.sandboxes+whole.files)
				require.NoError(t, h.Close())
				return len(stream)
			}
		},
	})
}
