package schemas

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// If rules accept a value of a field whose form the schema knows, the schema accepts it, too.
func FuzzSchemasRefuseNothingThatRulesAccept(f *testing.F) {
	paths := func(d document) []string {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(d.limits())), func(path string) bool {
			return d.limits()[path].pattern == "" || strings.HasSuffix(path, "{}")
		})
	}
	for i, d := range documents {
		for j := range paths(d) {
			for _, text := range []string{"", "a-b", "ab@>=1\n<2", "/a\u00a0", "1d", "host:1", "a.b", "A.b.", "::1"} {
				f.Add(uint8(i), uint8(j), text)
			}
		}
	}
	for i := range documents {
		f.Add(uint8(i), uint8(0), "0")
	}
	f.Fuzz(func(t *testing.T, kind, field uint8, text string) {
		d := documents[int(kind)%len(documents)]
		all := paths(d)
		if len(all) == 0 { // a kind whose schema has no patterns
			return
		}
		root, at := with(t, fixtures[d.kind], all[int(field)%len(all)], text)
		if compile(t, fileOf(d.kind)).Validate(asJSON(t, root)) == nil {
			return
		}
		assert.NotEmpty(t, problemsAt(t, root, at), "the schema refuses what no rule does: %s: %q", at, text)
	})
}
