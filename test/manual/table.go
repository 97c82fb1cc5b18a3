package manual

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
)

// tableHead are the first two lines of a config table.
const tableHead = "| field | flag | default | |\n|---|---|---|---|\n"

// checkTable compares the config table of the README with the config. Names, flags, defaults and their order are the
// code's; what the last column says is the writer's, and the text of --help to begin with.
func checkTable(t *testing.T, f cli.Function) {
	t.Helper()
	page := readme(t, f)
	before, rest, found := strings.Cut(page, tableHead)
	require.True(t, found, "the README must have a table that begins with\n%s", tableHead)
	rows, after := leadingRows(rest)
	golden(t, fileOf(f, "README.md"), before+tableHead+table(t, f, rows)+after)
}

// leadingRows splits a text behind the rows of a table that it begins with.
func leadingRows(text string) (rows []string, rest string) {
	for strings.HasPrefix(text, "|") {
		var row string
		row, text, _ = strings.Cut(text, "\n")
		rows = append(rows, row)
	}
	return rows, text
}

// table writes a row for each field, with the words of the row that is there.
func table(t *testing.T, f cli.Function, rows []string) string {
	t.Helper()
	words := map[string]string{}
	for _, row := range rows {
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), " |")
		require.Len(t, cells, 4, row)
		words[strings.Trim(cells[0], " `")] = strings.TrimSpace(cells[3])
	}
	var all strings.Builder
	for _, field := range f.Fields() {
		help := strings.ReplaceAll(field.Help, "|", `\|`)
		all.WriteString("|" + cell(field.Key) + cell(field.Usage) + cell(field.Default) + " ")
		all.WriteString(cmp.Or(words[field.Key], help) + " |\n")
		assert.NotEmpty(t, field.Help, "%s must have a help", field.Key)
	}
	return all.String()
}

// cell is a cell with a word of code, or with nothing.
func cell(code string) string {
	if code == "" {
		return " |"
	}
	return " `" + code + "` |"
}
