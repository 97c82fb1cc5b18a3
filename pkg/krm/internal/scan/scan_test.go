package scan

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestScanned lists the constructs of plain Kubernetes objects, which the scanner must understand by itself. The
// differential tests check that it understands them correctly; this test checks that it does not give up.
func TestScanned(t *testing.T) {
	t.Parallel()
	for _, field := range []string{
		"a: b", "a: b c # d", "a:", "a: # b", "a: ~", "a: http://b/c#d", "a: -1", "a: -b", "a: b-c", "a: 2020-01-01", "a: é😀",
		"a-b.c/d: e", "'a': b", "\"a b\": c", "a b: c", "1: b", "-a: b", "a:b: c", "\"\": a", "<<: a",
		"a: \"b\"", "a: \"b\\n\\u00e9\\x41\\\\\\\"\" # c", "a: 'it''s'", "a: ''", "a: \"b\n\n    c\"",
		"a: \"b\nc\n# d\n- e\"", "a: 'b\n\nc: d'",
		"a: \"b\\\n    c\"", "a: \"b # c\"", "a: '\t'",
		"a: b\n    c", "a: b\n\n     c # d", "a: b\n    - c",
		"a: |\n    b", "a: >-\n    b\n\n    c", "a: |+\n    b\n\n", "a: |2\n     b\n    c",
		"a: |1-\n   b", "a: | # c\n    b", "a: |\n\n    b",
		"a: |\n    b\n   # c", "a: |\n    b\n    \tc", "a: |\n    # b\n    c: d", "a: |", "a: |\n      b\n\n        c\n      d",
		"a:\n  - b\n  - c: d\n    e: f\n  -\n  - - g\n    - h",
		"a:\n    - b\n    -   c: d\n        e:\n        - f", "a:\n    b:\n      c: d\n    e: f",
		"a:\n  # b\n    c: d\n\n# e\n    f: g", "a:\n    b", "a:\n    \"b\"", "a:\n    [b]", "a:\n  -\n    b: c",
		"a: []", "a: {}", "a: [b, 'c', \"d\", 1.5, -1]", "a: {b: c, \"d\": e, f: {g: []}} # h", "a: [\"b\",\"c\"]",
		"a: [a:b, c@d]",
	} {
		src := head + "items:\n- kind: A\n  " + field + "\n- kind: B\n"
		for _, text := range []string{src, strings.ReplaceAll(src, "\n", "\r\n"), "\ufeff# c\n---\n" + src + "...\n"} {
			layout, err := List([]byte(text), 2)
			require.NoError(t, err, "%q", field)
			require.Len(t, layout.Items, 2, "%q", field)
			assert.False(t, layout.Items[0].NeedsParse, "%q", field)
			compare(t, []byte(text))
		}
	}
}

// TestNeedsParse lists items that must be parsed, which does not affect their neighbors.
func TestNeedsParse(t *testing.T) {
	t.Parallel()
	for _, item := range []string{
		"- {a: b}", "- a: [b,\n    c]", "- a: &a b\n  c: *a", "- a: !!str 1", "- ? a\n  : b", "- a:\tb",
		"- a : b", "- a: {b}", "- a: [b c]",
		"- a: {b: c,}", "- \"a\" : b", "- a: \"\\/\"x", "- - a", "- a", "-",
	} {
		src := []byte(head + "items:\n- kind: A\n" + item + "\n- kind: B\n")
		compare(t, src)
		layout, err := List(src, 3)
		require.NoError(t, err, "%q", item)
		for n, needs := range []bool{false, true, false} {
			assert.Equal(t, needs, layout.Items[n].NeedsParse, "%q: item %d", item, n)
		}
	}
}

func TestTooMany(t *testing.T) {
	t.Parallel()
	_, err := List([]byte(head+"items:\n- a: b\n- a: b\n"), 1)
	require.ErrorIs(t, err, ErrTooMany)
}

func TestSeeds(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(t) {
		compare(t, seed)
	}
}

// TestClean holds the scanner's character set against the parser's, and every line break but the plain ones out.
func TestClean(t *testing.T) {
	t.Parallel()
	for r := rune(0); r < 0x11000; r++ {
		if r >= 0xd800 && r < 0xe000 || r == '\n' {
			continue
		}
		text := []byte("a: b" + string(r) + "cdefghijk\n")
		got := clean(bytes.TrimSuffix(text, []byte("\n")))
		node := parse(text)
		switch r {
		case '\r', '\u0085', '\u2028', '\u2029', '\ufeff':
			require.False(t, got, "%U", r)
		default:
			if got {
				require.NotNil(t, node, "%U", r)
				require.Equal(t, "b"+string(r)+"cdefghijk", node.Content[1].Value)
			} else {
				require.Nil(t, node, "%U", r)
			}
		}
	}
	for _, text := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "aaaaaaaa\x80"} {
		assert.False(t, clean([]byte(text)), "%q", text)
	}
}

func TestCleanAtEveryPlace(t *testing.T) {
	t.Parallel()
	for size := range 40 {
		line := bytes.Repeat([]byte("~"), size)
		require.True(t, clean(line))
		for at := range line {
			for _, c := range []byte{0, 0x1f, 0x7f, 0x80, 0xff} {
				line[at] = c
				require.False(t, clean(line), "%d of %d: %x", at, size, c)
			}
			line[at] = '~'
		}
	}
}

func TestEscapes(t *testing.T) {
	t.Parallel()
	for c := range 0x7f {
		text := fmt.Sprintf("%c0041zzzzz", c)
		if escape([]byte(text)) > 0 {
			require.NotNil(t, parse([]byte("\"\\"+text+"\"\n")), "%q", text)
		}
	}
	for text, want := range map[string]int{
		"": 0, "n": 1, "x4": -1, "x41": 3, "xg1": -1, "u00e9": 5, "ud800": -1,
		"U0010ffff": 9, "U00110000": -1, "UFFFFFFFF": -1, "q": -1,
	} {
		assert.Equal(t, want, escape([]byte(text)), text)
	}
}

func TestDeepNesting(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{10, 400, 600, 9000, 11000} {
		src := []byte(head + "items:\n- kind: A\n  a:\n   " + strings.Repeat(" -", depth) + " b\n")
		_, err := List(src, 1)
		require.NoError(t, err, depth)
		compare(t, src)
	}
}

// kyaml does not indent lists below their key, not even those of the list's own fields.
func TestFieldsWithLists(t *testing.T) {
	t.Parallel()
	src := []byte(head + "results:\n- message: a\n  tags: {b: c}\n- message: d\n# e\nitems:\n- kind: A\n")
	compare(t, src)
	layout, err := List(src, 1)
	require.NoError(t, err)
	assert.Equal(t, "results:\n- message: a\n  tags: {b: c}\n- message: d\n",
		string(src[layout.Fields[2].Start:layout.Fields[2].End]))
}
