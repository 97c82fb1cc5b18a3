package load_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// plugin returns a folder whose subfolder p holds a plugin that embeds one file.
func plugin(t *testing.T, embed string) string {
	t.Helper()
	dir := folder(t, `
-- outside.sh --
outside
-- p/in.sh --
inside
-- p/sub/deep.sh --
deep
`)
	nativeWrite(t, filepath.Join(dir, "p/plugin.yaml"),
		fmt.Sprintf("name: pl\nspec:\n  runner: {image: a}\n  create: [{name: a, script: %q}]\n", "@{embed: "+embed+"}"))
	require.NoError(t, os.Symlink("../outside.sh", filepath.Join(dir, "p/out.sh")))
	require.NoError(t, os.Symlink("in.sh", filepath.Join(dir, "p/link.sh")))
	makePipe(t, filepath.Join(dir, "p/pipe"))
	switch embed {
	case "large":
		nativeWrite(t, filepath.Join(dir, "p/large"), strings.Repeat("x", load.MaxEmbedded+1))
	case "largest":
		nativeWrite(t, filepath.Join(dir, "p/largest"), strings.Repeat("x", load.MaxEmbedded))
	}
	nativeWrite(t, filepath.Join(dir, "p/bytes"), "\x00\xff")
	return dir
}

func TestEmbedStaysInTheFolder(t *testing.T) {
	t.Parallel()
	const outside = "the file must be below the folder of the document, " +
		"unless allowEmbedOutside (--allow-embed-outside) is set"
	cases := []struct{ embed, want, problem string }{
		{embed: "in.sh", want: "inside\n"},
		{embed: "./in.sh", want: "inside\n"},
		{embed: "/in.sh", want: "inside\n"},
		{embed: "sub/../in.sh", want: "inside\n"},
		{embed: "sub/deep.sh", want: "deep\n"},
		{embed: "link.sh", want: "inside\n"},
		{embed: "largest", want: strings.Repeat("x", load.MaxEmbedded)},
		{embed: "../outside.sh", problem: outside},
		{embed: "/../outside.sh", problem: outside},
		{embed: "sub/../../outside.sh", problem: outside},
		{embed: "out.sh", problem: outside},
		{embed: "..", problem: outside},
		{embed: "gone.sh", problem: `there is no file "DIR/p/gone.sh"`},
		{embed: "in.sh/x", problem: `file "DIR/p/in.sh/x": not a directory`},
		{embed: "sub", problem: `file "DIR/p/sub": must be a regular file`},
		{embed: ".", problem: `file "DIR/p": must be a regular file`},
		{embed: "pipe", problem: `file "DIR/p/pipe": must be a regular file`},
		{embed: "large", problem: `file "DIR/p/large": must not be larger than 1048576 bytes`},
		{
			embed:   "bytes",
			problem: "what is filled in must be UTF-8 text: use the encoding [binary] for anything else",
		},
	}
	for _, c := range cases {
		t.Run(c.embed, func(t *testing.T) {
			t.Parallel()
			dir := plugin(t, c.embed)
			read, err := load.Read([]string{dir + "/p/plugin.yaml"}, load.Options{})
			require.NoError(t, err)
			checkEmbed(t, read, dir, c.embed, c.want, c.problem)
		})
	}
}

func TestEmbedOutsideWherePermitted(t *testing.T) {
	t.Parallel()
	cases := []struct{ embed, want, problem string }{
		{embed: "in.sh", want: "inside\n"},
		{embed: "../outside.sh", want: "outside\n"},
		{embed: "/../outside.sh", want: "outside\n"},
		{embed: "out.sh", want: "outside\n"},
		{embed: "../gone.sh", problem: `there is no file "DIR/gone.sh"`},
		{embed: "pipe", problem: `file "DIR/p/pipe": must be a regular file`},
	}
	for _, c := range cases {
		t.Run(c.embed, func(t *testing.T) {
			t.Parallel()
			dir := plugin(t, c.embed)
			read, err := load.Read([]string{dir + "/p/plugin.yaml"}, load.Options{EmbedOutside: true})
			require.NoError(t, err)
			checkEmbed(t, read, dir, c.embed, c.want, c.problem)
		})
	}
}

func checkEmbed(t *testing.T, read *load.Package, dir, embed, want, problem string) {
	t.Helper()
	require.Len(t, read.Documents, 1)
	problems := []string{}
	for _, p := range read.Documents[0].Problems {
		problems = append(problems, strings.ReplaceAll(p.Message, dir, "DIR"))
	}
	if problem != "" {
		assert.Equal(t, []string{fmt.Sprintf("%q: %s", "@{embed: "+embed+"}", problem)}, problems)
		return
	}
	assert.Empty(t, problems)
	script, _ := krm.Path("spec.create[0].script").Find(read.Documents[0].Item.YNode())
	assert.Equal(t, want, script.Value)
}

// A file that a document embeds is part of that document, even if it holds an object, unless the user names the file or it
// holds a document of ours, which other tools deliver.
func TestEmbeddedFilesAreNotDocuments(t *testing.T) {
	t.Parallel()
	dir := folder(t, `
-- a/plugin.yaml --
name: p
spec:
  runner: {image: a, podTemplateOverlay: "@{embed: pod.yaml}"}
  create: [{name: a, script: "# @{embed: plugin.yaml} @{embed: object.yaml} @{embed: broken.yaml} @{embed: settings.yaml}"}]
-- a/pod.yaml --
apiVersion: v1
kind: PodTemplate
metadata: {name: part}
-- a/settings.yaml --
spec: {containers: []}
-- a/object.yaml --
apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: q}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Secret, metadata: {name: r}}
- {apiVersion: resourceplugins.dev/v1alpha1, kind: Sandbox, metadata: {name: s}}
-- a/broken.yaml --
apiVersion: resourceplugins.dev/v1alpha1
kind: [
`)
	ours := []string{"ResourcePlugin p a/plugin.yaml", "ResourcePlugin q a/object.yaml", "Sandbox s a/object.yaml"}
	broken := []string{"a/broken.yaml:2:1: error must be valid YAML: did not find expected node content"}
	for _, paths := range [][]string{{dir}, {dir + "/a/plugin.yaml", dir}, {dir, dir + "/a/plugin.yaml"}} {
		read, err := load.Read(paths, load.Options{})
		require.NoError(t, err)
		assert.ElementsMatch(t, ours, names(read, dir), paths)
		assert.Equal(t, broken, told(read, dir), paths)
		assert.Empty(t, read.Skipped, paths)
	}
	read, err := load.Read([]string{dir + "/a/plugin.yaml", dir + "/a/pod.yaml"}, load.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"ResourcePlugin p a/plugin.yaml", "PodTemplate part a/pod.yaml"}, names(read, dir))
}
