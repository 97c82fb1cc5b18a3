package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func TestUnderline(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	for _, c := range []struct {
		line         string
		column, size int
		shown, marks string
	}{
		{"name: tuh", 7, 3, "name: tuh", "      ^^^"},
		{"name: tuh", 7, 0, "name: tuh", "      ^"},
		{"\tname: tuh", 8, 3, "\tname: tuh", "\t      ^^^"},
		{"ä: ö", 4, 1, "ä: ö", "   ^"},
		{"日本: x", 5, 1, "日本: x", "      ^"},
		{"日本", 2, 1, "日本", "  ^^"},
		{"e\u0301: x", 5, 1, "e\u0301: x", "   ^"},
		{"a\x1b[31m: x", 9, 1, `a\x1b[31m: x`, "           ^"},
		{"\u202eabc", 2, 1, `\u202eabc`, "      ^"},
		{"", 1, 1, "", "^"},
		{"ab", 99, 5, "ab", "  ^"},
		{"ab", 0, 99, "ab", "^^"},
		{long + "y", 201, 1, "…" + strings.Repeat("x", 119) + "y", strings.Repeat(" ", 120) + "^"},
		{"y" + long, 1, 1, "y" + strings.Repeat("x", 119) + "…", "^"},
	} {
		shown, marks := underline(c.line, c.column, c.size)
		assert.Equal(t, c.shown, shown, "%q", c.line)
		assert.Equal(t, c.marks, marks, "%q", c.line)
	}
}

// A file may have lines that end in CRLF, or a byte order mark.
func TestExcerptOfAFile(t *testing.T) {
	t.Parallel()
	r := &Report{Files: edit.NewFiles(func(file string) []byte {
		if file == "a" {
			return []byte("\ufeffa: b\r\nc: tuh\r\n")
		}
		return nil
	})}
	at := func(file string, line, column int) krm.Result {
		result := krm.Result{Place: krm.Place{File: file, Line: line, Column: column}}
		result.Field = &krm.Field{CurrentValue: "tuh"}
		return result
	}
	assert.Equal(t, "  2 | c: tuh\n    |    ^^^\n", r.excerpt(at("a", 2, 4)))
	assert.Equal(t, "  1 | a: b\n    |    ^\n", r.excerpt(at("a", 1, 4)))
	assert.Empty(t, r.excerpt(at("a", 9, 1)))
	assert.Empty(t, r.excerpt(at("a", 2, 0)))
	assert.Empty(t, r.excerpt(at("b", 1, 1)))
	assert.Empty(t, r.excerpt(at("", 0, 0)))
}

// Any line becomes two rows without control characters, with the caret below the place.
func FuzzUnderline(f *testing.F) {
	f.Add("name: tuh", 7, 3)
	f.Add("\t日本\x1b e\u0301 \r\u2028", 5, 2)
	f.Add(strings.Repeat("ä\t", 200), 150, 1)
	f.Fuzz(func(t *testing.T, line string, column, size int) {
		shown, marks := underline(line, column, size)
		for _, row := range []string{shown, marks} {
			require.NotContains(t, row, "\n")
			require.Equal(t, -1, strings.IndexFunc(row, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }), "%q", row)
		}
		require.Empty(t, strings.Trim(marks, " \t^"))
		before, _, found := strings.Cut(marks, "^")
		require.True(t, found)
		require.Equal(t, strings.Count(before, "\t"), strings.Count(prefix(shown, before), "\t"), "%q\n%q", shown, marks)
		if utf8.ValidString(line) && column > 0 && column <= utf8.RuneCountInString(line) {
			piece, wide := display([]rune(line)[column-1])
			require.True(t, wide == 0 || strings.HasPrefix(shown[len(prefix(shown, before)):], piece), "%q\n%q", shown, marks)
		}
	})
}

// prefix returns the part of a text above the blanks.
func prefix(shown, blanks string) string {
	columns := 0
	for at, r := range shown {
		_, wide := display(r)
		if columns == len(blanks) && wide > 0 {
			return shown[:at]
		}
		columns += wide
	}
	return shown
}
