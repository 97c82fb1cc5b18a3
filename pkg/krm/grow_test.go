package krm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// grower builds block YAML from the fuzzer's bytes, so that random bytes lead deep into the grammar at once.
type grower struct {
	bytes []byte
	out   strings.Builder
	depth int
}

func (g *grower) pick(n int) int {
	if len(g.bytes) == 0 {
		return 0
	}
	b := int(g.bytes[0])
	g.bytes = g.bytes[1:]
	return b % n
}

// mostly picks one of n, but mostly one of the first few.
func (g *grower) mostly(few, n int) int {
	at := g.pick(250)
	if at >= n {
		at %= few
	}
	return at
}

func (g *grower) one(of ...string) string { return of[g.pick(len(of))] }

func (g *grower) rarely(of ...string) string { return of[g.mostly((len(of)+1)/2, len(of))] }

func (g *grower) pad(n int) string { return strings.Repeat(" ", n) }

// gap puts comments and blank lines, mostly none.
func (g *grower) gap(column int) {
	switch g.pick(24) {
	case 1:
		g.out.WriteString("\n")
	case 2:
		g.out.WriteString(g.pad(column) + "# c: d\n")
	case 3:
		g.out.WriteString("# zero\n")
	case 4:
		g.out.WriteString(g.pad(column+g.pick(6)) + "#\t- x\n\n")
	case 5:
		g.out.WriteString("   \n")
	case 6:
		g.out.WriteString(g.pad(max(column-g.pick(3), 0)) + "# \"q\n")
	}
}

func (g *grower) key() string {
	keys := []string{
		"kind", "a", "b", "name", "metadata", "annotations", "apiVersion", "\"k: x\"", "'it''s'", "a b", "-x", "x#y", "a:b",
		"é", "a/b.c", "1", "~", "\"\"", "no", "\"\\u006bind\"", "<<", "? q", "&k k", "x ",
	}
	return keys[g.mostly(19, len(keys))]
}

// scalar returns the text behind a key or dash whose collection is at column.
func (g *grower) scalar(column int) string {
	in := g.pad(column + 1 + g.pick(4))
	out := g.pad(g.pick(column + 1))
	switch g.mostly(13, 26) {
	case 0, 1, 2:
		return g.one("x", "v1", "A", "true", "12", "a b", "a:b", "-1", "x # c", "null", "~", "é 😀", "x#y", "http://a/b", "AList")
	case 3:
		return "'it''s'" + g.rarely("", " # c", "  ", "#", " x")
	case 4:
		return "\"q\\n\\\"\\u00e9\"" + g.rarely("", " # c", ":", " : x")
	case 5:
		return "\"a\n" + out + "b\n\n" + in + "c\"" + g.one("", " # c")
	case 6:
		return "'a\n" + out + "# b\n" + in + "- c'"
	case 7:
		return "plain\n" + in + "more" + g.rarely("", " # c", ": x", "\n"+in+"- x")
	case 8:
		return "|" + g.one("", "-", "+", " # c", "#") + "\n" + in + "x\n" + in + "  y: z\n\n" + in + "# no comment"
	case 9:
		return ">" + g.one("", "-", "+") + "\n\n" + in + "x\n\n\n" + in + "\ty"
	case 10:
		return g.one("|2", ">1-", "|+1", "|9", "|1") + "\n" + g.pad(column+1+g.pick(3)) + "x\n" + g.pad(column+2) + " y"
	case 11:
		return "|" + "\n" + g.pad(column+g.pick(6)) + "\n" + in + "x"
	case 12:
		return g.rarely("[]", "{}", "[a, 'b', \"c\"]", "{a: b, \"c\": [d]}", "[a,b]", "{a}", "[a, ]", "{a: }", "[-x]",
			"{\"a\":\"b\"}", "[a b]", "[[]]", "{a: b:c}", "[a: b]", "{? a : b}",
			"[#]", "{a: 'b\n"+in+"c'}", "[a,\n"+in+"b]", "[", "}")
	case 13:
		return "&x " + g.one("y", "", "{a: b}", "[c]")
	case 14:
		return g.one("*x", "*x # c", "!!str 1", "!t {}", "!!binary aGk=", "! x")
	case 15:
		return g.one("@x", "`x", "%x", "- x", "? x", "a: b", "\tx", "x\ty", "x\t# c", "#", "'", "\"",
			"\"\\/\"", "\"\\x4\"", ", x", ": x")
	case 16:
		return g.one("\u0085", "x\u2028y", "\ufeff", "\x01", "\x7f", "\xff", "x\ry", "\r")
	case 17:
		return "\"a\\\n" + out + "  b\\\n\n c\""
	case 18:
		return "\n" + in + g.one("x", "\"y\"", "[z]", "x: y", "'a': b", "|\n"+in+" z", "- q", "&x y")
	default:
		return g.one("x", "", "a", "b # c")
	}
}

func (g *grower) mapping(column int, first string) {
	g.depth++
	for n := g.pick(4); n >= 0; n-- {
		g.out.WriteString(first)
		first = g.pad(column)
		g.out.WriteString(g.key() + ":")
		g.below(column, true)
	}
	g.depth--
}

func (g *grower) below(column int, inMapping bool) {
	switch kind := g.pick(7); {
	case g.depth > 5 || kind < 4:
		if text := g.scalar(column); text != "" {
			g.out.WriteString(" " + text)
		}
		g.out.WriteString(g.one("\n", "\n", "\n", "\n", " \n", "\r\n", "\n\n"))
		g.gap(column)
	case kind == 4 && inMapping:
		g.out.WriteString(g.one("\n", " # c\n", "\n\n"))
		g.gap(column)
		inner := column + 1 + g.pick(4)
		g.mapping(inner, g.pad(inner))
	case kind == 4:
		g.mapping(column+2, " ")
	default:
		g.out.WriteString("\n")
		g.gap(column)
		if inner := column + g.pick(3); inMapping {
			g.sequence(inner)
		} else {
			g.sequence(inner + 1)
		}
	}
}

func (g *grower) sequence(column int) {
	g.depth++
	for n := g.pick(3); n >= 0; n-- {
		g.out.WriteString(g.pad(column) + "-")
		g.below(column, false)
	}
	g.depth--
}

// growList builds a whole list. Its items have an identity, so that Parse takes those that are valid.
func growList(data []byte) []byte {
	g := grower{bytes: data}
	g.out.WriteString(g.one("", "", "", "\ufeff", "---\n", "# c\n", "--- # d\n# e\n"))
	g.out.WriteString(head)
	if g.pick(8) == 1 {
		g.out.WriteString(g.one("functionConfig", "other", "results", "metadata") + ":")
		g.below(0, true)
	}
	g.out.WriteString("items:" + g.one("", "", "", " # c", " []", " null") + "\n")
	g.gap(0)
	column := g.pick(2) * 2
	for n := g.pick(4); n >= 0; n-- {
		g.out.WriteString(g.pad(column) + "- apiVersion: v1\n" + g.pad(column+2) + "kind: AList\n")
		if g.pick(2) == 1 {
			g.out.WriteString(g.pad(column+2) + "metadata:")
			g.below(column+2, true)
		}
		g.mapping(column+2, g.pad(column+2))
	}
	g.out.WriteString(g.rarely("", "other: x\n", "results:\n- message: m\n", "...\n", "---\n", "  # c", "x"))
	text := g.out.String()
	switch g.pick(10) {
	case 1:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 2:
		text = strings.TrimRight(text, "\n")
	}
	return []byte(text)
}

func FuzzGrown(f *testing.F) {
	for n := range 12 {
		f.Add([]byte(strings.Repeat("abcdefghij1234567", n)), "a", "b c", n)
	}
	f.Fuzz(func(t *testing.T, data []byte, key, value string, kind int) {
		src := growList(data)
		compareEdits(t, src, key, value, kind)
	})
}

// TestGrown walks through many lists in every run.
func TestGrown(t *testing.T) {
	t.Parallel()
	seed := uint32(1)
	scanned := 0
	for range 4000 {
		data := make([]byte, 120)
		for i := range data {
			seed = seed*1664525 + 1013904223
			data[i] = byte(seed >> 24)
		}
		src := growList(data)
		if list, err := Parse(src); err == nil {
			compareItems(t, list, full(src))
			if list.layout != nil {
				scanned++
			}
		}
		compareEdits(t, src, "a", "b c", int(data[0])<<8|int(data[1]))
	}
	assert.Greater(t, scanned, 1000)
}
