package manifest_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yamlv3 "go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	. "github.com/resource-plugins/krm-functions/internal/manifest"
)

func TestYAMLLooksAsKubectlPrints(t *testing.T) {
	t.Parallel()
	tree := NewMap(
		KV("apiVersion", String("v1")),
		KV("data", NewMap(
			KV("script", String("#!/bin/sh\nset -e\n\necho \"$HOME: it's\"\n")),
			KV("open", String("a\nb")),
			KV("wide", String("a\n\n\n")),
		)),
		KV("list", List{
			NewMap(KV("args", Strings("yes", "012", "1e3", "2020-01-01", "=", "<<", "", "~", "null", "a b", "a: b", "a #b")),
				KV("name", String("main"))),
			List{Int(1), List{Bool(false)}},
			Map{}, List{},
		}),
		KV("x/y", String("resourceplugins.dev/v1alpha1")),
	)
	assert.Equal(t, `apiVersion: v1
data:
  open: |-
    a
    b
  script: |
    #!/bin/sh
    set -e

    echo "$HOME: it's"
  wide: |+
    a


list:
- args:
  - "yes"
  - "012"
  - "1e3"
  - "2020-01-01"
  - '='
  - '<<'
  - ""
  - '~'
  - "null"
  - a b
  - 'a: b'
  - 'a #b'
  name: main
- - 1
  - - false
- {}
- []
x/y: resourceplugins.dev/v1alpha1
`, string(AppendYAML(nil, tree)))
}

var nasty = []string{
	"", " ", "a ", " a", "\t", "a\t", "\n", "\n\n", "a\n", "a\n\n", "\na", " \na", "a\n \nb", "a\n\tb", "a\r\nb",
	"\r", "a\x00b", "\x1b[0m", "\x7f", "\u0085", "a\u2028b", "\u2029", "\ufeff", "\ufeffa\n", "\ufffe", "😀",
	"ünï", "\ufffd", "\U0010ffff", "\U0001fffe", "yes", "Yes", "NO", "on", "off", "y", "N", "true", "False",
	"null", "Null", "~", "012", "0o7", "0x1f", "0b1", "1_000", "1e3", "1.5", ".5", "-.inf", ".NaN", "+1", "1:30",
	"190:20:30", "2020-01-01", "2020-01-01T00:00:00Z", "=", "<<", "-", "- a", "---", "...", "?", "? a", ":", "a:",
	"a: b", ": a", "#", "a #b", "a#b", "&a", "*a", "!t", "|", ">", "'", "''", "it's", `"`, `a"b`, `\`, `\n`, "%",
	"@", "`", "{", "}", "[a]", "a, b", "$(X)", "$$", "/bin/sh", "/", "(a", "_", "--- a\n--- b\n", "a\n--- b",
	"a\n...\nb", "#!/bin/sh\necho\n", "a\n  b\n c\n", "key: |\n  x\n", "a\n#b\n", "\"\n",
	strings.Repeat("x", 100_000), strings.Repeat("wörd ", 20_000), strings.Repeat("line\n", 20_000),
	strings.Repeat("9", 300), strings.Repeat("'", 1200), "null\n", "y\n",
}

func TestEveryReaderGetsTheStringBack(t *testing.T) {
	t.Parallel()
	for _, text := range nasty {
		readBack(t, String(text))
		readBack(t, NewMap(KV(text, String("v")), KV("k", List{String(text), NewMap(KV(text, String(text)))})))
	}
}

func FuzzEveryReaderGetsTheStringBack(f *testing.F) {
	for _, text := range nasty {
		if len(text) < 2000 {
			f.Add(text, "k")
		}
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?")
		readBack(t, NewMap(KV(a, String(b)), KV(b, List{String(a), NewMap(KV(b, String(a)), KV("z", List{String(b)}))})))
	})
}

func TestEveryReaderGetsTheTreeBack(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		readBack(t, randomTree(random, 4))
	}
}

func TestBytesThatAreNotUTF8AreReplaced(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "\"a\ufffdb\"\n", strings.ReplaceAll(string(AppendYAML(nil, String("a\xffb"))), `\ufffd`, "\ufffd"))
	assert.Equal(t, `"a\ufffdb"`, string(AppendJSON(nil, String("a\xffb"))))
}

func readBack(t *testing.T, tree Value) {
	t.Helper()
	text := AppendYAML(nil, tree)
	want := plainGo(tree)
	var three, five any
	require.NoError(t, yamlv3.Unmarshal(text, &three), "%q", text)
	require.Equal(t, want, three, "yaml.v3 of %q", text)
	require.NoError(t, kyaml.Unmarshal(text, &five), "%q", text)
	require.Equal(t, want, five, "kyaml of %q", text)
	asJSON, err := sigsyaml.YAMLToJSONStrict(text)
	require.NoError(t, err, "%q", text)
	var one, two any
	require.NoError(t, json.Unmarshal(asJSON, &one))
	canonical := AppendJSON(nil, tree)
	require.NoError(t, json.Unmarshal(canonical, &two), "%q", canonical)
	require.Equal(t, two, one, "sigs.k8s.io/yaml of %q", text)
	require.Equal(t, string(canonical), string(encode(t, want)))
}

// encode is JSON as encoding/json writes it, but without escapes for HTML.
func encode(t *testing.T, v any) []byte {
	t.Helper()
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(v))
	text := strings.TrimSuffix(out.String(), "\n")
	for escape, plain := range map[string]string{`\u2028`: "\u2028", `\u2029`: "\u2029", `\b`: `\u0008`, `\f`: `\u000c`} {
		text = replaceEscape(text, escape, plain)
	}
	return []byte(text)
}

// replaceEscape replaces an escape that is not itself escaped.
func replaceEscape(text, escape, by string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], `\\`):
			out.WriteString(`\\`)
			i += 2
		case strings.HasPrefix(text[i:], escape):
			out.WriteString(by)
			i += len(escape)
		default:
			out.WriteByte(text[i])
			i++
		}
	}
	return out.String()
}

func plainGo(v Value) any {
	switch v := v.(type) {
	case String:
		return string(v)
	case Int:
		return int(v)
	case Bool:
		return bool(v)
	case Map:
		out := map[string]any{}
		for _, f := range v {
			out[f.Key] = plainGo(f.Value)
		}
		return out
	case List:
		out := []any{}
		for _, e := range v {
			out = append(out, plainGo(e))
		}
		return out
	}
	return nil
}

func randomTree(random *rand.Rand, depth int) Value {
	switch n := random.IntN(8); {
	case n < 2 && depth > 0:
		fields := make([]Field, random.IntN(4))
		for i := range fields {
			fields[i] = KV(nasty[random.IntN(60)], randomTree(random, depth-1))
		}
		return NewMap(fields...)
	case n < 4 && depth > 0:
		list := make(List, random.IntN(4))
		for i := range list {
			list[i] = randomTree(random, depth-1)
		}
		return list
	case n == 4:
		return Int(random.Int64N(math.MaxInt32) - math.MaxInt16)
	case n == 5:
		return Bool(random.IntN(2) == 0)
	default:
		return String(nasty[random.IntN(len(nasty)-8)])
	}
}

func BenchmarkYAML(b *testing.B) {
	env := make(List, 6)
	for i := range env {
		env[i] = NewMap(KV("name", String(fmt.Sprint("VARIABLE_", i))), KV("value", String("some value of it")))
	}
	job := NewMap(
		KV("apiVersion", String("batch/v1")), KV("kind", String("Job")),
		KV("spec", NewMap(KV("template", NewMap(KV("spec", NewMap(
			KV("containers", List{NewMap(KV("name", String("main")), KV("image", String("docker.io/library/busybox:1.36")),
				KV("env", env), KV("command", Strings("/var/run/resourceplugins/script/script")))}),
			KV("restartPolicy", String("Never")), KV("automountServiceAccountToken", Bool(false)),
		)))))))
	var out []byte
	for b.Loop() {
		out = AppendYAML(out[:0], job)
	}
	b.SetBytes(int64(len(out)))
}
