package document_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func canonicalOf(of document.PluginName, spec *yaml.Node) ([]byte, *strictyaml.Problem) {
	return strictyaml.Canonical(of.Bare, of.Version.String(), spec)
}

func parse(tb testing.TB, text string) *yaml.Node {
	tb.Helper()
	var document yaml.Node
	require.NoError(tb, yaml.Unmarshal([]byte(text), &document))
	if len(document.Content) == 0 {
		return nil
	}
	return document.Content[0]
}

func name(tb testing.TB, text string) document.PluginName {
	tb.Helper()
	n, err := document.ParsePluginName(text)
	require.NoError(tb, err)
	return n
}

// TestVectors checks every document of a folder against the folder's canonical bytes and digest: however it is
// written, it is the same.
func TestVectors(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("testdata/vectors/*/*.*")
	require.NoError(t, err)
	require.NotEmpty(t, documents)
	for _, path := range documents {
		folder, file := filepath.Split(path)
		if file == "canonical.json" {
			continue
		}
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			root := parse(t, readVector(t, path))
			published := name(t, krm.Value(krm.Value(root, "metadata"), "name").Value)
			canonical, problem := canonicalOf(published, krm.Value(root, "spec"))
			require.Nil(t, problem)
			assert.Equal(t, readVector(t, folder+"canonical.json"), string(canonical))
			sum, problem := document.Digest(published, krm.Value(root, "spec"))
			require.Nil(t, problem)
			assert.Equal(t, strings.TrimSpace(readVector(t, folder+"digest")), sum)
			assert.True(t, document.IsDigest(sum))
		})
	}
}

func readVector(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// TestWhatCounts lists the differences that make another document.
func TestWhatCounts(t *testing.T) {
	t.Parallel()
	of := func(named, spec string) string {
		sum, problem := document.Digest(name(t, named), parse(t, spec))
		require.Nil(t, problem)
		return sum
	}
	first := of("db@1.0.0", "{script: a, inputs: []}")
	for _, other := range []struct{ name, spec string }{
		{"dc@1.0.0", "{script: a, inputs: []}"},
		{"db@1.0.1", "{script: a, inputs: []}"},
		{"db@1.0.0-rc.1", "{script: a, inputs: []}"},
		{"db@1.0.0+b", "{script: a, inputs: []}"},
		{"db@1.0.0", `{script: "a\n", inputs: []}`},
		{"db@1.0.0", "{script: A, inputs: []}"},
		{"db@1.0.0", "{script: a}"},
		{"db@1.0.0", "{script: a, inputs: {}}"},
		{"db@1.0.0", "{script: a, inputs: [null]}"},
		{"db@1.0.0", "{script: a, inputs: [], more: ' '}"},
	} {
		assert.NotEqual(t, first, of(other.name, other.spec), other)
	}
	assert.Equal(t, of("db@1.0.0", ""), of("db@1.0.0", "~"), "null is absent")
	assert.Equal(t, first, of("db@1.0.0", "{script: a, inputs: [], more: '', much: }"), "an empty string is absent")
}

func TestListOrderCounts(t *testing.T) {
	t.Parallel()
	one, problem := canonicalOf(name(t, "db"), parse(t, "[a, b]"))
	require.Nil(t, problem)
	other, problem := canonicalOf(name(t, "db"), parse(t, "[b, a]"))
	require.Nil(t, problem)
	assert.NotEqual(t, one, other)
}

func TestNumbersThatLoseDigits(t *testing.T) {
	t.Parallel()
	for _, number := range []string{
		"0.12345678901234567890", "123456789012345678901234", "1e-999999999999", "9007199254740993.0",
		"18446744073709551617", "-9223372036854775809",
	} {
		_, problem := document.Digest(name(t, "db"), parse(t, "{a: "+number+"}"))
		require.NotNil(t, problem)
		assert.Equal(t, fmt.Sprintf(
			"spec.a: number %q must have no more digits than a 64-bit float holds: quote it", number), problem.String())
	}
}

func TestWhatHasNoDigest(t *testing.T) {
	t.Parallel()
	for spec, message := range map[string]string{
		"{a: [x, {1: b}]}":          `spec.a[1]: key "1" must be a string: quote it`,
		"{true: b}":                 `spec: key "true" must be a string: quote it`,
		"{? [a] : b}":               `spec: key "" must be a string: quote it`,
		"{a: 1, b: 2, a: 3}":        `spec: key "a" must not be given twice`,
		"{<<: {a: 1}, <<: {b: 1}}":  `spec["<<"]: must be given once: key "<<" is repeated`,
		"{a: {<<: text}}":           `spec.a["<<"]: must be a mapping to merge, or a list of them, not the string "text"`,
		"{a: {<<: [{b: c}, text]}}": `spec.a["<<"]: must be a mapping to merge, or a list of them, not the string "text"`,
		"{a.b: .nan}":               `spec["a.b"]: must be a number, not ".nan"`,
		"{a: -.inf}":                `spec.a: must be a number, not "-.inf"`,
		"{a: 2001-12-14t21:59:43Z}": `spec.a: "2001-12-14t21:59:43Z" must be a string: quote it`,
		"{a: 2001-12-14 21:59:43}":  `spec.a: "2001-12-14 21:59:43" must be a string: quote it`,
		"{a: !!int abc}":            `spec.a: "abc" must be a !!int`,
		"{a: !!binary /w==}":        `spec.a: must be UTF-8 text`,
		"{a: !!binary '%'}":         `spec.a: "%" must be a !!binary`,
		"&a {b: *a}":                `spec.b.b: alias "a" must not contain itself`,
		"&a {<<: *a}":               `spec: alias "a" must not contain itself`,
		strings.Repeat("[", 1001) + strings.Repeat("]", 1001): `must not nest deeper than 1000 levels`,
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			_, problem := document.Digest(name(t, "db"), parse(t, spec))
			require.NotNil(t, problem)
			assert.Contains(t, problem.String(), message)
			if !strings.HasPrefix(message, "must") {
				assert.Equal(t, message, problem.String())
			}
		})
	}
}

// TestBombs holds that a few lines cannot stand for more than the limits.
func TestBombs(t *testing.T) {
	t.Parallel()
	for kind, layer := range map[string][2]string{
		"lists":    {"[x, y, z]", "[%, %, %, %, %, %, %, %, %]"},
		"mappings": {"{a: x, b: x, c: x, d: x}", "{a: %, b: %, c: %, d: %, e: %, f: %, g: %, h: %}"},
		"merges":   {"{a: x}", "{<<: [%, %, %, %, %, %, %, %, %]}"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			fmt.Fprintf(&text, "a0: &a0 %s\n", layer[0])
			for level := range 20 {
				aliases := strings.ReplaceAll(layer[1], "%", fmt.Sprintf("*a%d", level))
				fmt.Fprintf(&text, "a%d: &a%d %s\n", level+1, level+1, aliases)
			}
			_, problem := document.Digest(name(t, "db"), parse(t, text.String()))
			require.NotNil(t, problem)
			assert.Equal(t, "aliases must not lead to more than 100000 values in one document", problem.Message)
		})
	}
	_, problem := document.Digest(name(t, "db"), parse(t, "[&a "+strings.Repeat("x", 1<<20)+", *a, *a, *a]"))
	require.NotNil(t, problem)
	assert.Equal(t, "the document must not expand to more than 4 MiB", problem.Message)
}

func TestValid(t *testing.T) {
	t.Parallel()
	good := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	assert.True(t, document.IsDigest(good))
	for _, bad := range []string{
		"", "sha256:", good[:len(good)-1], good + "0", strings.ToUpper(good), good[7:],
		"sha512:" + good[7:], "sha256:" + strings.Repeat("g", 64),
	} {
		assert.False(t, document.IsDigest(bad), bad)
	}
}
