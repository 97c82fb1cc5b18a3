package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// walk visits each value below a mapping key of spec, with its path.
func walk(path krm.Path, node *yaml.Node, visit func(path krm.Path, parent *yaml.Node, at int)) {
	for i, child := range node.Content {
		switch {
		case node.Kind == yaml.SequenceNode:
			walk(path.Index(i), child, visit)
		case i%2 == 1:
			below := path.Key(node.Content[i-1].Value)
			visit(below, node, i-1)
			walk(below, child, visit)
		}
	}
}

func specPaths(t *testing.T, file string) []krm.Path {
	t.Helper()
	var paths []krm.Path
	spec, ok := krm.Path("spec").Find(edited(t, file))
	require.True(t, ok)
	walk("spec", spec, func(path krm.Path, _ *yaml.Node, _ int) {
		if !isMadeUp(path) {
			paths = append(paths, path)
		}
	})
	return paths
}

// A misspelled key is one finding, regardless of the fields below it.
func TestAMisspelledKeyGivesOneFinding(t *testing.T) {
	t.Parallel()
	for _, file := range fixtures {
		for _, path := range specPaths(t, file) {
			document := edited(t, file, string(path)+"~"+lastKey(string(path))+"x")
			got := check(t, document)
			if assert.Len(t, got, 1, "%s", path) {
				assert.True(t, strings.HasPrefix(got[0], "error unknown-key "+string(path)+"x: "), "%s: %s", path, got[0])
			}
		}
	}
}

// Nothing is reported about aliases that are not expanded because they are too large.
func TestAliasesThatStandForTooMuchAreOneFinding(t *testing.T) {
	t.Parallel()
	text := "apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: db@1.0.0}\nspec:\n" +
		"  runner: {image: ubuntu}\n  create:\n  - {name: s, script: &s \"#!/bin/sh\\n# " + strings.Repeat("x", 1<<20) + "\"}\n"
	for i := range 10 {
		text += fmt.Sprintf("  - {name: s%d, script: *s}\n", i)
	}
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	assert.Equal(t, []string{
		"error alias spec.create[4].script: aliases must not lead to more than 4194304 bytes of text in one document",
	}, check(t, document.Content[0]))
}

// A value of a wrong type is also one finding.
func TestAWrongTypeGivesOneFinding(t *testing.T) {
	t.Parallel()
	for _, file := range fixtures {
		for _, path := range specPaths(t, file) {
			node, _ := path.Find(edited(t, file))
			value := "[[a]]"
			if node.Kind == yaml.SequenceNode {
				value = "a string"
			}
			got := check(t, edited(t, file, string(path)+": "+value))
			if assert.Len(t, got, 1, "%s", path) {
				assert.True(t, strings.HasPrefix(got[0], "error type "+string(path)+": "), "%s: %s", path, got[0])
			}
		}
	}
}

// An empty string or a removed field is at most one finding, plus one for each reference to it.
func TestAnEmptyOrMissingFieldGivesOneFinding(t *testing.T) {
	t.Parallel()
	for _, file := range fixtures {
		for _, path := range specPaths(t, file) {
			node, _ := path.Find(edited(t, file))
			changes := []string{"-" + string(path)}
			if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" {
				changes = append(changes, string(path)+`: ""`)
			}
			for _, change := range changes {
				got := check(t, edited(t, file, change))
				for i := 1; i < len(got); i++ {
					assert.Regexp(t, "^error (unknown-output|resource-reference|fork-reference|fixture-reference) ", got[i], change)
					assert.Equal(t, strings.Fields(got[0])[1], strings.Fields(got[i])[1], change)
				}
			}
		}
	}
}

func TestAllFindingsComeAtOnceAndInOrder(t *testing.T) {
	t.Parallel()
	got := check(t, edited(t, aPlugin, `
		metadata.name: hello_db
		spec.runner.image: Postgres
		spec.create[0].namee: x
		-spec.create[0].name
		spec.create[1].script: cat /inputs/host > /tmp/user
		spec.delete[0].inputs[0].valueFromStep.name: nobody
		spec.delete[0].outputs[0].valueFromPath: log`))
	want := []string{
		"error plugin-name metadata.name: ", "error image-reference spec.runner.image: ",
		"error unknown-key spec.create[0].namee: ", "warning script-interpreter spec.create[1].script: ",
		"error output-path spec.delete[0].outputs[0].valueFromPath: ",
	}
	require.Len(t, got, len(want), strings.Join(got, "\n"))
	left := append([]string(nil), got...)
	for _, prefix := range want {
		for i, line := range left {
			if strings.HasPrefix(line, prefix) {
				left = append(left[:i], left[i+1:]...)
				break
			}
		}
	}
	assert.Empty(t, left)
	for range 5 {
		assert.Equal(t, got, check(t, edited(t, aPlugin, `
		metadata.name: hello_db
		spec.runner.image: Postgres
		spec.create[0].namee: x
		-spec.create[0].name
		spec.create[1].script: cat /inputs/host > /tmp/user
		spec.delete[0].inputs[0].valueFromStep.name: nobody
		spec.delete[0].outputs[0].valueFromPath: log`)))
	}
}
