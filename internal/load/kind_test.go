package load

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// The keys that tell a kind are keys of its spec, old ones, or known mistakes; and no other kind has them.
func TestTellingKeysAreThoseOfTheSpecs(t *testing.T) {
	t.Parallel()
	keys := map[string]map[string]bool{
		contract.ResourcePlugin: keysOf(reflect.TypeFor[v1alpha1.ResourcePluginSpec]()),
		contract.Sandbox:        keysOf(reflect.TypeFor[v1alpha1.SandboxSpec]()),
	}
	mistakes := []string{"locals", "workloads"} // seen in the spec's text, and in real files
	for _, one := range kindKeys {
		own, typed := keys[one.kind]
		for _, key := range one.keys {
			for kind, others := range keys {
				assert.False(t, kind != one.kind && others[key], "%s has %s too", kind, key)
			}
			assert.True(t, !typed || own[key] || contains(mistakes, key), "%s has no key %s", one.kind, key)
		}
	}
	delete(keys[contract.Sandbox], "")
	for key := range keys[contract.Sandbox] {
		shared := []string{"cluster", "description", "endpoints", "ttl"}
		assert.True(t, contains(shared, key) || contains(kindKeys[1].keys, key),
			"a new key %q of a Sandbox must tell its kind", key)
	}
}

// keysOf returns the keys of a spec, those of former versions included.
func keysOf(spec reflect.Type) map[string]bool {
	keys := map[string]bool{}
	for _, field := range reflect.VisibleFields(spec) {
		keys[field.Tag.Get("json")] = true
		for old := range strings.SplitSeq(field.Tag.Get("aliases"), ",") {
			keys[old] = true
		}
	}
	return keys
}

func contains(list []string, text string) bool {
	for _, element := range list {
		if element == text {
			return true
		}
	}
	return false
}

func TestSplitCutsAtMarkersOnly(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text  string
		want  []string
		lines []int
	}{
		"one":            {"a: 1\n", []string{"a: 1\n"}, []int{0}},
		"no newline":     {"a: 1", []string{"a: 1"}, []int{0}},
		"nothing":        {"", nil, nil},
		"comments":       {"# a\n\n--- # b\n---\n", nil, nil},
		"two":            {"a: 1\n---\nb: 1\n", []string{"a: 1\n", "---\nb: 1\n"}, []int{0, 1}},
		"in front":       {"---\na: 1\n", []string{"---\na: 1\n"}, []int{0}},
		"CRLF":           {"a: 1\r\n---\r\nb: 1\r\n", []string{"a: 1\r\n", "---\r\nb: 1\r\n"}, []int{0, 1}},
		"an end":         {"a: 1\n...\nb: 1\n", []string{"a: 1\n", "b: 1\n"}, []int{0, 2}},
		"content behind": {"--- a\n--- b\n", []string{"--- a\n", "--- b\n"}, []int{0, 1}},
		"longer":         {"a: |\n ---\n---a\n....\n", []string{"a: |\n ---\n---a\n....\n"}, []int{0}},
		"directives": {
			"%YAML 1.2\n---\na: 1\n...\n%TAG ! x\n---\nb: 1\n",
			[]string{"---\na: 1\n", "---\nb: 1\n"},
			[]int{1, 5},
		},
		"an empty one between": {"a: 1\n---\n# nothing\n---\nb: 1\n", []string{"a: 1\n", "---\nb: 1\n"}, []int{0, 3}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var texts []string
			var lines []int
			for _, chunk := range splitYAML([]byte(c.text)) {
				texts = append(texts, string(chunk.text))
				lines = append(lines, chunk.line)
			}
			assert.Equal(t, c.want, texts)
			assert.Equal(t, c.lines, lines)
		})
	}
}
