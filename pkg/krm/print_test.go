package krm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEncode(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a: b\nc:\n- d\n- e:\n  - f # g\n\"h\": 'i'\n",
		"# top\na: |\n  #!/bin/sh\n  echo \"x\" # y\nb: |-\n  z\n",
		"a: {b: [c, \"d\"]}\n",
		"a: []\nb: {}\nc: null\nd: ~\n",
	} {
		got, err := encode(parsed(t, text))
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
	}
}

// Values that the printer would get wrong are printed plainly.
func TestEncodeOdd(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a: |2\n    b\n   c\n", "a: |+\n\n\n", "a: >\n\n  b\n\n\n  c\n", "? a\n: b\n", "? [a]\n: {? b}\n", "? |\n  a\n: b\n",
		"a: \"\\x85\\u2028\\0\"\n", "a: !x b\nc: !!str 1\n", "a: &b c\nd: *b\n", "? # x\n",
		"a: \"\\t\"\nb: ' x '\n", "<<: {a: b}\n",
		"a: # b\n  # c\n  d: e\n  # f\n\n# g\n", "app.kubernetes.io/name: a\n1.5: b\n1/2: c\n-.5: d\n",
	} {
		want := parsed(t, text)
		bare, err := expand(want)
		require.NoError(t, err)
		got, err := encode(bare)
		require.NoError(t, err, text)
		assert.True(t, equal(want, parsed(t, string(got))), "%q became %q", text, got)
	}
}

func FuzzEncode(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, src := range [][]byte{data, growList(data)} {
			want, err := parseOne(src)
			if err != nil {
				continue
			}
			bare, err := expand(want)
			if err != nil {
				continue
			}
			got, err := encode(bare)
			require.NoError(t, err)
			read, err := parseOne(got)
			if isEmptyDocument(bare) {
				continue
			}
			require.NoError(t, err)
			require.True(t, equal(want, read), "%q became %q", src, got)
		}
	})
}
