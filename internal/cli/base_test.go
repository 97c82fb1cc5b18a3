package cli_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// revision is the files of a git revision, as a test has them.
type revision struct {
	fs.FS
	closed *bool
}

func (r revision) Close() error { *r.closed = true; return nil }

func (r revision) Path(file string) (string, error) {
	if strings.Contains(file, "outside") {
		return "", errors.New("must be in the repository")
	}
	return "new", nil
}

const older = `
-- plugin.yaml --
name: db
spec: {runner: {image: "reg/@{tag}"}, create: []}
-- bad.yaml --
name: other
spec: {runner: {image: "@{1}"}}
-- worse.yaml --
name: worse
spec: [
`

func comparing(show func(cli.Call), closed *bool, files fs.FS) cli.Function {
	f := function(func(_ *trial, call cli.Call) { show(call) })
	f.Modes = func() []cli.Mode { return []cli.Mode{&cli.Findings{}} }
	f.OpenRevision = func(name string) (cli.Revision, error) {
		if name != "main" {
			return nil, errors.New("must be a revision")
		}
		return revision{FS: files, closed: closed}, nil
	}
	return f
}

// The older state comes from a path or from a revision, with the same variables filled in; documents that cannot be read
// are reported and left out.
func TestAnOlderState(t *testing.T) {
	t.Parallel()
	dir := folder(t, older)
	files := fstest.MapFS{}
	for _, name := range []string{"plugin.yaml", "bad.yaml", "worse.yaml"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		files["new/"+name] = &fstest.MapFile{Data: text}
	}
	now := filepath.Join(folder(t, "-- new/plugin.yaml --\nname: db\nspec: {runner: {image: \"reg/@{tag}\"}, create: []}\n"), "new")
	for _, from := range [][]string{{"--base", dir}, {"--base-ref", "main"}} {
		label := map[bool]string{true: dir + "/", false: "main:new/"}[from[0] == "--base"]
		closed, seen := false, 0
		f := comparing(func(call cli.Call) {
			seen++
			require.NotNil(t, call.Base)
			require.Len(t, call.Base.List.Items(), 1)
			then := call.Base.List.Items()[0]
			assert.Equal(t, krm.Place{File: label + "plugin.yaml", Line: 1, Column: 7}, then.PlaceOf("metadata.name"))
			for _, item := range []*krm.Item{then, call.List.Items()[0]} {
				image, _ := krm.Path("spec.runner.image").Find(item.YNode())
				assert.Equal(t, "reg/1.0", image.Value)
				require.Len(t, call.Base.Origins(image), 1)
				assert.Equal(t, "tag", call.Base.Origins(image)[0].Variable)
			}
			assert.False(t, call.Base.Partial)
		}, &closed, files)
		got := run(f, "", append(from, "--set", "tag=1.0", now)...)
		assert.Equal(t, 1, seen)
		assert.Equal(t, 0, got.code, got.stderr)
		assert.Contains(t, got.stdout, label+"bad.yaml:2:24: [warning] ResourcePlugin/other spec.runner.image: "+
			"the older state cannot be compared: ")
		assert.Contains(t, got.stdout, label+"worse.yaml:2")
		assert.Equal(t, from[0] == "--base-ref", closed)
	}
}

// A document that cannot be read now may be the one that seems to be removed.
func TestAPartialState(t *testing.T) {
	t.Parallel()
	dir := folder(t, "-- old.yaml --\nname: db\nspec: {runner: {}}\n-- new.yaml --\nname: [\n")
	closed, partial := false, false
	f := comparing(func(call cli.Call) { partial = call.Base.Partial }, &closed, nil)
	got := run(f, "", "--base", filepath.Join(dir, "old.yaml"), filepath.Join(dir, "new.yaml"))
	assert.True(t, partial)
	assert.Equal(t, 1, got.code)
}

func TestOlderStatesThatCannotBe(t *testing.T) {
	t.Parallel()
	dir := folder(t, "-- a.yaml --\nname: db\nspec: {runner: {}}\n-- outside.yaml --\nname: db\nspec: {runner: {}}\n")
	file := filepath.Join(dir, "a.yaml")
	closed := false
	f := comparing(func(cli.Call) { assert.Fail(t, "the function must not run") }, &closed, fstest.MapFS{})
	for want, args := range map[string][]string{
		"--base-ref: must be a revision":                                  {"--base-ref", "other", file},
		"--base-ref: must be in the repository":                           {"--base-ref", "main", filepath.Join(dir, "outside.yaml")},
		"--base and --base-ref must not be given together":                {"--base-ref", "main", "--base", file, file},
		"--base must not be the standard input":                           {"--base", "-", "-"},
		"--base-ref must come with paths of a git repository":             {"--base-ref", "main", "-"},
		`--base: "nowhere" must be a file or a folder that can be read: `: {"--base", "nowhere", file},
		"--base must come with a path":                                    {"--base", file},
	} {
		got := run(f, "", args...)
		assert.Equal(t, 2, got.code, want)
		assert.Empty(t, got.stdout, want)
		assert.Contains(t, got.stderr, want)
	}
	plain := function(nil)
	got := run(plain, "", "--base", file, file)
	assert.Equal(t, 2, got.code, "a function that compares nothing has no such flag")
}
