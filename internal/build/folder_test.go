package build

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func TestNamesOfFilesAreSafeAndDiffer(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "sandbox-shop-42.yaml", fileName("sandbox", "shop-42"))
	assert.Equal(t, "job-ns.db.yaml", fileName("Job", "ns", "db"))
	seen, safe := map[string]bool{}, regexp.MustCompile(`^[a-z][a-z0-9.-]*(_[a-z2-7]{12})?\.yaml$`)
	for _, names := range [][]string{
		{"shop"}, {"Shop"}, {"SHOP"}, {"../../shop"}, {"..", "shop"}, {"/etc/passwd"}, {"CON"}, {"nul.yaml"}, {""}, {".", "x"}, {"a", "b-c"},
		{"a-b", "c"}, {"a.b", "c"}, {"a", "b.c"}, {strings.Repeat("x", 300)}, {strings.Repeat("x", 301)}, {"a\x00b"}, {"a\nb"}, {"ä"}, {"ö"},
		{"x_yyyyyyyyyyyy"}, {"-rf"}, {" "}, {`a\b`}, {"kustomization"}, {"shared"},
	} {
		name := fileName("sandbox", names...)
		assert.Regexp(t, safe, name, names)
		assert.LessOrEqual(t, len(name), 200)
		assert.True(t, filepath.IsLocal(name), name)
		assert.False(t, seen[name], "%q is the name of two", name)
		seen[name] = true
	}
}

// The owner is the same with and without parsing the object.
func TestOwnerIsFoundWithoutParsing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"kind: Job\nmetadata:\n  annotations:\n    resourceplugins.dev/sandbox: shop\n  name: a\nspec: {}\n",
		"kind: Job\nmetadata:\n  annotations:\n    resourceplugins.dev/sandbox: \"true\"\n  name: a\n",
		"kind: Job\nmetadata:\n  annotations:\n    a: |\n      resourceplugins.dev/sandbox: other\n    resourceplugins.dev/sandbox: Shop 1\n",
		"kind: Job\nmetadata:\n  labels:\n    resourceplugins.dev/sandbox: cut\n  annotations:\n    resourceplugins.dev/sandbox: true-one\n",
		"kind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: |\n    annotations:\n    resourceplugins.dev/sandbox: other\n",
		"kind: ConfigMap\ndata:\n  x: |\n    metadata:\n      annotations:\n        resourceplugins.dev/sandbox: other\nmetadata:\n  name: a\n",
	} {
		item, err := krm.NewItem([]byte(text))
		require.NoError(t, err)
		want := sharedFile
		if name, ok := item.Annotation("resourceplugins.dev/sandbox"); ok {
			want = fileName("sandbox", name)
		}
		assert.Equal(t, want, NewFolder(cli.FolderOptions{}).fileOf(item, OwnerOf(item, []byte(text))), text)
	}
}

func TestOriginOfFiles(t *testing.T) {
	t.Parallel()
	ours := string(marked("a.yaml", []byte("a: b\n")))
	for name, test := range map[string]struct {
		name, content string
		want          origin
	}{
		"ours":             {"a.yaml", ours, intact},
		"renamed":          {"b.yaml", ours, foreign},
		"edited":           {"a.yaml", ours + "c: d\n", edited},
		"empty":            {"a.yaml", "", foreign},
		"another tool's":   {"a.yaml", "a: b\n", foreign},
		"a merge conflict": {"a.yaml", "<<<<<<< HEAD\n" + ours + "=======\n" + ours + ">>>>>>> other\n", edited},
	} {
		assert.Equal(t, test.want, originOf(test.name, []byte(test.content)), name)
	}
}

// On Windows git may change line endings, which does not count as an edit.
func TestOtherEndsOfLinesAreNoEdit(t *testing.T) {
	t.Parallel()
	item, err := krm.NewItem([]byte("kind: Job\nmetadata:\n  name: a\n"))
	require.NoError(t, err)
	folder := NewFolder(cli.FolderOptions{Folder: t.TempDir()})
	require.NoError(t, folder.Add(nil, []*krm.Item{item}))
	_, err = folder.Write(t.Context())
	require.NoError(t, err)
	file := filepath.Join(folder.Folder, sharedFile)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "\n", "\r\n")), 0o600))
	report, err := folder.Check()
	require.NoError(t, err)
	assert.Empty(t, report.Results)
}

// The size of the diff and the number of findings are limited.
func TestDiffIsBounded(t *testing.T) {
	t.Parallel()
	var items []*krm.Item
	for i := range 200 {
		item, err := krm.NewItem([]byte("kind: Job\nmetadata:\n  name: a" + strings.Repeat("x", i) + "\nspec:\n" + strings.Repeat("- a\n", 100)))
		require.NoError(t, err)
		items = append(items, item)
	}
	folder := NewFolder(cli.FolderOptions{Folder: filepath.Join(t.TempDir(), "none"), PerObject: true})
	require.NoError(t, folder.Add(nil, items))
	report, err := folder.Check()
	require.NoError(t, err)
	assert.Len(t, report.Results, maxReported+1)
	assert.Less(t, strings.Count(string(report.Diff), "\n"), 1100)
	assert.Regexp(t, `# \d+ more files differ\n$`, string(report.Diff))
}
