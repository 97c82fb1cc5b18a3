package load_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// postponer postpones documents of a kind.
type postponer struct {
	kind             string
	suffices, defers bool
}

func (p postponer) Postpone(d load.Document) bool { return d.Item.Kind() == p.kind }
func (p postponer) MayDefer() bool                { return p.defers }
func (p postponer) Defers(item *krm.Item) bool    { return item.Kind() == p.kind }
func (p postponer) Suffices() bool                { return p.suffices }

const documentsOfAFile = `# one
apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: a}
---
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: b}
spec: {cluster: c}
---
name: native
spec: {cluster: "@{cluster}"}
---
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: b2}
---
apiVersion: v1
kind: List
items:
- {apiVersion: resourceplugins.dev/v1alpha1, kind: Sandbox, metadata: {name: d}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: e}}
---
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: f}
`

// describe lists documents with their places.
func describe(documents []load.Document) (all []string) {
	for _, d := range documents {
		place := d.Item.PlaceOf("")
		all = append(all, fmt.Sprintf("%s %s %s:%d:%d %v %d", d.Item.Kind(), d.Item.Name(), place.File, place.Line, place.Column,
			d.Native, len(d.Problems)))
	}
	return all
}

// merged returns all documents of a package in order, also those that are postponed.
func merged(p *load.Package) (all []load.Document) {
	kept := 0
	for i, postponed := range p.Postponed {
		for ; kept < int(postponed.Before); kept++ {
			all = append(all, p.Documents[kept])
		}
		if d, place, ok := p.Read(i); ok && place == len(all) {
			all = append(all, d)
		}
	}
	return append(all, p.Documents[kept:]...)
}

// Documents that are postponed are those that are read without, in the same order, if they are read again, one by one or all.
func TestPostpone(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for _, name := range []string{"a.yaml", "b.yaml", "sub/c.yaml"} {
		files[name] = &fstest.MapFile{Data: []byte(documentsOfAFile)}
	}
	files["sub/d.yaml"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(documentsOfAFile, "name: f", "name: {"))}
	options := load.Options{Files: files, Values: map[string]string{"cluster": "x"}}
	plain, err := load.Read([]string{"."}, options)
	require.NoError(t, err)
	require.Len(t, plain.Documents, 27)

	for _, kind := range []string{"Sandbox", "ResourcePlugin", "ConfigMap"} {
		options.Postpone = postponer{kind, true, false}
		read, err := load.Read([]string{"."}, options)
		require.NoError(t, err)
		assert.Equal(t, kind == "ConfigMap", len(read.Postponed) == 0, "one of a list has no text of its own")
		assert.Equal(t, describe(plain.Documents), describe(merged(read)))
		assert.Equal(t, plain.Findings, read.Findings)
		assert.Equal(t, plain.Skipped, read.Skipped)
		files["a.yaml"] = &fstest.MapFile{Data: []byte("a: b\n")}
		all, err := read.All()
		require.NoError(t, err)
		assert.Equal(t, describe(plain.Documents), describe(all.Documents), "those that were read, though a file has changed")
		assert.Equal(t, plain.Findings, all.Findings)
		assert.Empty(t, all.Postponed)
		files["a.yaml"] = &fstest.MapFile{Data: []byte(documentsOfAFile)}
	}

	options.Postpone = postponer{"Sandbox", false, true}
	read, err := load.Read([]string{"."}, options)
	require.NoError(t, err)
	assert.Empty(t, read.Postponed)
	assert.Equal(t, describe(plain.Documents), describe(read.Documents))
}

// Documents are deferred if they can be read later without a finding. Otherwise all must be read.
func TestDefer(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: x}\n"
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"a.yaml": documentsOfAFile, "broken.yaml": head + "spec:\n   a: b\n  c: d\n", "comment.yaml": "# one\n---\n" + head,
		"embeds.yaml": head + "spec: {cluster: \"@{embed: a.txt}\"}\n", "chart.yaml": head + "{{ if x }}: y\n", "two.yaml": head + "kind: X\n",
		"separator.yaml": head + "spec: {cluster: \"a\u2028b\"}\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	options := load.Options{Files: files}
	plain, err := load.Read([]string{"."}, options)
	require.NoError(t, err)
	options.Postpone = postponer{"Sandbox", true, true}
	read, err := load.Read([]string{"."}, options)
	require.NoError(t, err)
	assert.Equal(t, plain.Findings, read.Findings)
	assert.Equal(t, plain.Skipped, read.Skipped)
	assert.Len(t, read.Postponed, 6, "b, b2, f, and those of comment.yaml, embeds.yaml and two.yaml")
	assert.Equal(t, describe(plain.Documents), describe(merged(read)))
	all, err := read.All()
	require.NoError(t, err)
	assert.Equal(t, describe(plain.Documents), describe(all.Documents))
}
