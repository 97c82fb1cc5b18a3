package yamlprint_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	legacy "sigs.k8s.io/yaml"

	. "github.com/resource-plugins/krm-functions/internal/yamlprint"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		style yaml.Style
		want  string
	}{
		{"plain", 0, "plain"},
		{"hello-db@1.2.0", 0, "hello-db@1.2.0"},
		{"sha256:0a1b", 0, "sha256:0a1b"},
		{"a/b.c_d+e", 0, "a/b.c_d+e"},
		{"", 0, `""`},
		{"yes", 0, `"yes"`}, {"No", 0, `"No"`}, {"ON", 0, `"ON"`}, {"y", 0, `"y"`}, {"null", 0, `"null"`}, {"True", 0, `"True"`},
		{"1", 0, `"1"`}, {"1.2.0", 0, `"1.2.0"`}, {"0x1F", 0, `"0x1F"`}, {"1_000", 0, `"1_000"`}, {"190:20", 0, `"190:20"`},
		{"2020-01-01", 0, `"2020-01-01"`}, {".inf", 0, `".inf"`}, {"~", 0, `'~'`}, {"=", 0, `'='`}, {"<<", 0, `'<<'`},
		{"-", 0, `"-"`}, {"- a", 0, `"- a"`}, {"a: b", 0, `'a: b'`}, {"a:", 0, `'a:'`}, {"a #b", 0, `'a #b'`}, {"[a", 0, `'[a'`},
		{"*a", 0, `'*a'`}, {"&a", 0, `'&a'`}, {"!a", 0, `'!a'`}, {"@a", 0, `'@a'`}, {"%a", 0, `'%a'`}, {" a", 0, `' a'`},
		{"a\nb", 0, `"a\nb"`}, {"a\tb", 0, `"a\tb"`}, {"\x00\x7f\u0085\u2028\ufeff", 0, `"\u0000\u007f\u0085\u2028\ufeff"`},
		{`a"b\`, 0, `'a"b\'`}, {`it's a "b"`, 0, `it's a "b"`}, {`a"b`, yaml.DoubleQuotedStyle, `"a\"b"`}, {"é😀", 0, `'é😀'`},
		{"a", yaml.DoubleQuotedStyle, `"a"`},
		{"a", yaml.SingleQuotedStyle, `'a'`}, {"it's 1", yaml.SingleQuotedStyle, `'it''s 1'`},
		{"a\nb", yaml.SingleQuotedStyle, `"a\nb"`},
	} {
		assert.Equal(t, test.want, Quote(test.text, test.style))
		checkQuoted(t, test.text, Quote(test.text, test.style))
	}
}

// checkQuoted reads a quoted text as a value, as a key and in flow style, with a reader of YAML 1.2 and one of 1.1.
func checkQuoted(t *testing.T, text, quoted string) {
	t.Helper()
	document := "value: " + quoted + "\nlist: [" + quoted + "]\nmap:\n  " + quoted + ": x\n"
	for name, read := range map[string]func([]byte, any) error{
		"1.2": yaml.Unmarshal,
		"1.1": func(src []byte, into any) error { return legacy.Unmarshal(src, into) },
	} {
		var got struct {
			Value any            `json:"value"`
			List  []any          `json:"list"`
			Map   map[string]any `json:"map"`
		}
		require.NoError(t, read([]byte(document), &got), "%s: %s", name, document)
		require.Equal(t, text, got.Value, name)
		require.Equal(t, []any{text}, got.List, name)
		require.Equal(t, map[string]any{text: "x"}, got.Map, name)
	}
}

func FuzzQuote(f *testing.F) {
	for _, seed := range []string{"a", "yes", "1e3", "a: b", "\x00", "é", "0o7", "0b1", "NaN", "1:20", "a\\\n"} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, single bool) {
		text = strings.ToValidUTF8(text, "\ufffd")
		if len(text) > 100 { // keys have their own limit
			return
		}
		style := yaml.Style(0)
		if single {
			style = yaml.SingleQuotedStyle
		}
		checkQuoted(t, text, Quote(text, style))
	})
}
