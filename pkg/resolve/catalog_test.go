package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// item is a plugin document of the given name, with more lines below metadata.
func item(tb testing.TB, name string, metadata ...string) *krm.Item {
	tb.Helper()
	return parse(tb, name, "{runner: {image: alpine}, create: [{name: provision, script: '#!/bin/sh'}]}", metadata...)
}

func parse(tb testing.TB, name, spec string, metadata ...string) *krm.Item {
	tb.Helper()
	text := fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata:\n  name: %q\n%sspec: %s\n",
		name, strings.Join(metadata, ""), spec)
	document, err := krm.NewItem([]byte(text))
	require.NoError(tb, err)
	return document
}

func items(tb testing.TB, names string) []*krm.Item {
	tb.Helper()
	var documents []*krm.Item
	for _, name := range strings.Fields(names) {
		documents = append(documents, item(tb, name))
	}
	return documents
}

const published = "hello-db hello-db@v1.0 hello-db@1.2.0 hello-db@1.10.0 hello-db@2.0.0-rc.1 hello-db@2.0.0+b7 " +
	"mariadb early@1.0.0-rc.2 early@1.0.0-rc.10 K8s-queue@1"

func TestResolve(t *testing.T) {
	t.Parallel()
	for reference, want := range map[string]struct{ pin, trail string }{
		"hello-db":                     {"hello-db@2.0.0+b7", "all=6 -> releases=5"},
		"hello-db@latest":              {"hello-db@2.0.0+b7", "all=6 -> releases=5"},
		"hello-db@0":                   {"hello-db@0.0.0", "all=6 -> 0=1"},
		"hello-db@0.0.0":               {"hello-db@0.0.0", "all=6 -> 0.0.0=1"},
		"hello-db@v1.0":                {"hello-db@1.0.0", "all=6 -> v1.0=1"},
		"hello-db@1":                   {"hello-db@1.0.0", "all=6 -> 1=1"},
		"hello-db@1.10":                {"hello-db@1.10.0", "all=6 -> 1.10=1"},
		"hello-db@2.0.0-rc.1":          {"hello-db@2.0.0-rc.1", "all=6 -> 2.0.0-rc.1=1"},
		"hello-db@2":                   {"hello-db@2.0.0+b7", "all=6 -> 2=1"},
		"hello-db@2.0.0+b7":            {"hello-db@2.0.0+b7", "all=6 -> 2.0.0+b7=1"},
		"hello-db@^1":                  {"hello-db@1.10.0", "all=6 -> ^1=3"},
		"hello-db@~1.2":                {"hello-db@1.2.0", "all=6 -> ~1.2=1"},
		"hello-db@>=1.0 <2":            {"hello-db@1.10.0", "all=6 -> >=1.0 <2=3"},
		"hello-db@1.x":                 {"hello-db@1.10.0", "all=6 -> 1.x=3"},
		"hello-db@<2.0.0-rc.2 >=1.5-0": {"hello-db@2.0.0-rc.1", "all=6 -> <2.0.0-rc.2 >=1.5-0=2"},
		"mariadb":                      {"mariadb@0.0.0", "all=1 -> releases=1"},
		"K8s-queue":                    {"K8s-queue@1.0.0", "all=1 -> releases=1"},
		"early@1.0.0-rc.2":             {"early@1.0.0-rc.2", "all=2 -> 1.0.0-rc.2=1"},
		"early@>=1.0.0-0":              {"early@1.0.0-rc.10", "all=2 -> >=1.0.0-0=2"},
	} {
		t.Run(reference, func(t *testing.T) {
			t.Parallel()
			plugins := NewCatalog(items(t, published))
			require.Empty(t, plugins.Problems())
			choice, err := plugins.Resolve(reference)
			require.NoError(t, err)
			assert.Equal(t, want.pin, choice.Pin())
			assert.Equal(t, want.trail, choice.Trace.String())
			assert.Empty(t, choice.Warnings)
			assert.Equal(t, "alpine", choice.Spec.Runner.Image)
			assert.Regexp(t, "^sha256:[0-9a-f]{64}$", choice.Digest)
		})
	}
}

func TestOnlyPrereleases(t *testing.T) {
	t.Parallel()
	for _, reference := range []string{"early", "early@latest"} {
		choice, err := NewCatalog(items(t, published)).Resolve(reference)
		require.NoError(t, err)
		assert.Equal(t, "early@1.0.0-rc.10", choice.Pin())
		assert.Equal(t, "all=2 -> releases=0", choice.Trace.String())
		assert.Equal(t, []string{"early@1.0.0-rc.10 is a prerelease, chosen since there is no release: " +
			"name it in the reference to accept it"}, choice.Warnings)
	}
}

// TestSpellings holds that every spelling of a version leads to one choice.
func TestSpellings(t *testing.T) {
	t.Parallel()
	plugins := NewCatalog(items(t, published))
	first, err := plugins.Resolve("hello-db@1")
	require.NoError(t, err)
	for _, selector := range []string{"1.0", "1.0.0", "v1", "v1.0", "v1.0.0", "01.0.0"} {
		choice, err := plugins.Resolve("hello-db@" + selector)
		require.NoError(t, err)
		assert.Equal(t, first.Digest, choice.Digest)
		assert.Same(t, first.Spec, choice.Spec, "a document is read once")
	}
}

func TestReferencesThatLeadNowhere(t *testing.T) {
	t.Parallel()
	const (
		names    = `there are "K8s-queue", "early", "hello-db", "mariadb"`
		versions = "there are 2.0.0+b7, 2.0.0-rc.1, 1.10.0, 1.2.0, 1.0.0, 0.0.0"
		kinds    = `must be a version such as 1.0.0, a range such as ^1.2, a channel such as stable, or "latest"`
	)
	for reference, want := range map[string]ReferenceError{
		"helo-db": {Message: `plugin "helo-db" is unknown: did you mean "hello-db"? ` + names},
		"redis":   {Message: `plugin "redis" is unknown: ` + names},
		"hello-db@1.5": {
			Message: `plugin "hello-db" has no version 1.5.0: ` + versions, Missing: "hello-db@1.5.0",
		},
		"hello-db@2+b8": {
			Message: `plugin "hello-db" has no version 2.0.0+b8: ` + versions, Missing: "hello-db@2.0.0+b8",
		},
		"mariadb@1": {
			Message: `plugin "mariadb" has no version 1.0.0: there is 0.0.0`, Missing: "mariadb@1.0.0",
		},
		"redis@v1":   {Message: `plugin "redis" is unknown: ` + names, Missing: "redis@1.0.0"},
		"mariadb@^1": {Message: `plugin "mariadb" has no version in "^1": there is 0.0.0`},
		"early@^1": {Message: `plugin "early" has no version in "^1": there are 1.0.0-rc.10, 1.0.0-rc.2; ` +
			`a prerelease is left out unless the range names one, such as ^1.2.0-0`},
		"Hello-DB@^1": {
			Message: `plugin "Hello-DB" is unknown: did you mean "hello-db"? ` + names, Proposed: "hello-db@^1",
		},
		"hello-db@Latest": {Message: `plugin version "Latest" ` + kinds, Proposed: "hello-db@latest"},
		"hello-db@V1.0":   {Message: `plugin version "V1.0" ` + kinds, Proposed: "hello-db@v1.0"},
		"hello-db@stable": {Message: `plugin "hello-db" has no channel "stable", nor any other: ` +
			`refer to a version such as 1.0.0, or to a range such as ^1.2`},
		"hello-db @1": {
			Message: `plugin name "hello-db " must hold letters, digits and dashes only`, Proposed: "hello-db@1",
		},
		"hello-db@": {Message: `plugin version must not be empty: drop the @ or give a semver such as @1.0.0`},
		"":          {Message: `plugin name must not be empty`},
	} {
		t.Run(reference, func(t *testing.T) {
			t.Parallel()
			choice, err := NewCatalog(items(t, published)).Resolve(reference)
			assert.Nil(t, choice)
			assert.Equal(t, &want, err)
		})
	}
}

func TestLongListsAreCut(t *testing.T) {
	t.Parallel()
	var documents []*krm.Item
	for i := range 12 {
		documents = append(documents, item(t, fmt.Sprintf("plugin-%02d", i)), item(t, fmt.Sprintf("db@1.%d.0", i)))
	}
	plugins := NewCatalog(documents)
	_, err := plugins.Resolve("db@2")
	require.EqualError(t, err, `plugin "db" has no version 2.0.0: `+
		`there are 1.11.0, 1.10.0, 1.9.0, 1.8.0, 1.7.0, 1.6.0, 1.5.0, 1.4.0, 1.3.0, 1.2.0 and 2 more`)
	_, err = plugins.Resolve("unheard-of")
	assert.ErrorContains(t, err, `"plugin-08" and 3 more`)
}

func TestAnEmptyCatalog(t *testing.T) {
	t.Parallel()
	_, err := NewCatalog(nil).Resolve("hello-db")
	assert.EqualError(t, err, `plugin "hello-db" is unknown: the list has no ResourcePlugin documents; `+
		`add one, or generate it with import-plugin`)
}

func TestOtherDocumentsAreNoPlugins(t *testing.T) {
	t.Parallel()
	var documents []*krm.Item
	for _, head := range []string{
		"apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox", "apiVersion: v1\nkind: ResourcePlugin",
	} {
		document, err := krm.NewItem([]byte(head + "\nmetadata: {name: hello-db}\n"))
		require.NoError(t, err)
		documents = append(documents, document)
	}
	_, err := NewCatalog(documents).Resolve("hello-db")
	assert.ErrorContains(t, err, "the list has no ResourcePlugin documents")
}

// TestIdentityUnderAPrefix holds that a kustomize namePrefix makes no other plugin.
func TestIdentityUnderAPrefix(t *testing.T) {
	t.Parallel()
	prefixed := item(t, "my-hello-db@1.0", "  annotations:\n"+
		"    internal.config.kubernetes.io/previousNames: hello-db@1.0,first-hello-db@1.0\n")
	plain := item(t, "hello-db@1.0")
	one, err := NewCatalog([]*krm.Item{prefixed}).Resolve("hello-db")
	require.NoError(t, err)
	other, err := NewCatalog([]*krm.Item{plain}).Resolve("hello-db")
	require.NoError(t, err)
	assert.Equal(t, "hello-db@1.0.0", one.Pin())
	assert.Equal(t, other.Digest, one.Digest)
}

// TestOrderNeverCounts permutes the documents of catalogs, bad ones among them, and expects the same answers.
func TestOrderNeverCounts(t *testing.T) {
	t.Parallel()
	documents := items(t, published+" twice@1.0 twice@v1 twice@2 case@1 Case@2 bad@1 bad@y bad@x bad@z")
	references := strings.Fields("hello-db hello-db@^1 hello-db@1 early twice twice@1 twice@2 case Case bad bad@1 nothing")
	outcome := func(plugins *Catalog) []string {
		var lines []string
		for _, problem := range krm.Results(plugins.Problems()).Sort() {
			lines = append(lines, problem.ResourceRef.Name+": "+problem.Message)
		}
		for _, reference := range references {
			choice, err := plugins.Resolve(reference)
			if err != nil {
				lines = append(lines, reference+": "+err.Error())
				continue
			}
			lines = append(lines, reference+": "+choice.Pin()+" "+choice.Digest+" "+choice.Trace.String())
		}
		return lines
	}
	want := outcome(NewCatalog(documents))
	random := checkout.Random(t)
	for range 50 {
		random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
		require.Equal(t, want, outcome(NewCatalog(documents)))
	}
}
