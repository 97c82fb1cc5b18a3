package load_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
)

const sandboxes = `
-- b/z.yaml --
name: z
spec: {cluster: a}
-- b/a.yml --
name: a
spec: {cluster: a}
-- a.json --
{"name": "j", "spec": {"cluster": "a"}}
-- b.yaml --
name: b
spec: {cluster: a}
-- .hidden.yaml --
broken: [
-- .git/x.yaml --
name: git
spec: {cluster: a}
-- .rplug/x.yaml --
name: cache
spec: {cluster: a}
-- .signadot/x.yaml --
name: h
spec: {cluster: a}
-- readme.txt --
name: no
-- b/run.sh --
#!/bin/sh
`

func TestReadWalksFolders(t *testing.T) {
	t.Parallel()
	dir := folder(t, sandboxes)
	read, err := load.Read([]string{dir}, load.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"Sandbox h .signadot/x.yaml", "Sandbox j a.json", "Sandbox a b/a.yml", "Sandbox z b/z.yaml", "Sandbox b b.yaml",
	}, names(read, dir))
	assert.Empty(t, told(read, dir))
}

func TestReadKeepsTheOrderOfPathsAndReadsOnce(t *testing.T) {
	t.Parallel()
	dir := folder(t, sandboxes)
	read, err := load.Read([]string{dir + "/b.yaml", dir + "/b/", dir + "//b.yaml", dir}, load.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"Sandbox b b.yaml", "Sandbox a b/a.yml", "Sandbox z b/z.yaml", "Sandbox h .signadot/x.yaml", "Sandbox j a.json",
	}, names(read, dir))
}

func TestReadTakesAHiddenFileThatIsNamed(t *testing.T) {
	t.Parallel()
	dir := folder(t, "-- .a.yaml --\nname: a\nspec: {cluster: a}\n-- b.txt --\nname: b\nspec: {cluster: a}\n")
	read, err := load.Read([]string{dir + "/.a.yaml", dir + "/b.txt"}, load.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"Sandbox a .a.yaml", "Sandbox b b.txt"}, names(read, dir))
}

// Links within the folder are followed to files; those that leave it are named and left out; folders are not followed.
func TestReadDoesNotFollowLinksOut(t *testing.T) {
	t.Parallel()
	dir := folder(t, sandboxes)
	outside := folder(t, "-- secret.yaml --\nname: secret\nspec: {cluster: a}\n")
	for link, target := range map[string]string{
		"b/in.yaml":   "../b.yaml",
		"b/out.yaml":  outside + "/secret.yaml",
		"b/gone.yaml": "nowhere",
		"b/loop":      "..",
		"b/self.yaml": "self.yaml",
		"b/dir.yaml":  "..", "b/far.yaml": "../../../../../../../../etc/hostname",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	read, err := load.Read([]string{dir}, load.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"Sandbox h .signadot/x.yaml", "Sandbox j a.json", "Sandbox a b/a.yml", "Sandbox b b/in.yaml", "Sandbox z b/z.yaml",
		"Sandbox b b.yaml",
	}, names(read, dir))
	const left = ":0:0: warning link must lead to a file of the folder that is read: it is left out"
	assert.Equal(t, []string{
		"b/far.yaml" + left, "b/gone.yaml" + left, "b/out.yaml" + left, "b/self.yaml" + left,
	}, told(read, dir))
}

func TestReadLeavesOutWhatIsNotAFile(t *testing.T) {
	t.Parallel()
	dir := folder(t, sandboxes)
	makePipe(t, filepath.Join(dir, "pipe.yaml"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o755))
	read, err := load.Read([]string{dir}, load.Options{})
	require.NoError(t, err)
	assert.Len(t, read.Documents, 5)
}

func TestReadRefusesPathsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := folder(t, sandboxes)
	cases := map[string]string{
		"":                `a path must not be empty`,
		dir + "/nowhere":  `"DIR/nowhere" must be a file or a folder that can be read: no such file or directory`,
		dir + "/b.yaml/x": `"DIR/b.yaml/x" must be a file or a folder that can be read: not a directory`,
		load.Stdin:        `there is no standard input to read`,
		"a\x00b":          `"a\x00b" must be a file or a folder that can be read: invalid argument`,
	}
	for path, want := range cases {
		_, err := load.Read([]string{path}, load.Options{})
		if assert.Error(t, err, path) {
			assert.Equal(t, want, strings.ReplaceAll(err.Error(), dir, "DIR"))
		}
	}
}

func TestReadRefusesHugeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge.yaml")
	require.NoError(t, os.WriteFile(huge, nil, 0o600))
	require.NoError(t, os.Truncate(huge, load.MaxFile+1))
	read, err := load.Read([]string{dir}, load.Options{})
	require.NoError(t, err)
	assert.Empty(t, told(read, dir))
	assert.Equal(t, []load.Skipped{{File: huge, Reason: "too large"}}, read.Skipped)

	// It is an error if it is named, or if its beginning is meant for us.
	read, err = load.Read([]string{huge}, load.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"huge.yaml:0:0: error must not be larger than 134217728 bytes"}, told(read, dir))
	file, err := os.OpenFile(huge, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString("apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\n")
	require.NoError(t, errors.Join(err, file.Close()))
	read, err = load.Read([]string{dir}, load.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"huge.yaml:0:0: error must not be larger than 134217728 bytes"}, told(read, dir))
}

// A pipe, such as that of a process substitution, can be read only once: no format may look into it.
func TestReadsAPipeOnce(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "63")
	makePipe(t, pipe)
	go func() {
		file, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err == nil {
			_, _ = file.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
			_ = file.Close()
		}
	}()
	read, err := load.Read([]string{pipe}, load.Options{})
	require.NoError(t, err)
	assert.Empty(t, read.Findings)
	assert.Len(t, read.Documents, 1)
}
