package manual

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
)

// tableHead has the first two lines of a config table.
const tableHead = "| field | flag | default | |\n|---|---|---|---|\n"

// checkTable compares the config table of the README with the code. The last column may be edited; by default it is the text
// of --help.
func checkTable(t *testing.T, f cli.Function) {
	t.Helper()
	page := readme(t, f)
	before, rest, found := strings.Cut(page, tableHead)
	require.True(t, found, "the README must have a table that begins with\n%s", tableHead)
	rows, after := leadingRows(rest)
	golden(t, fileOf(f, "README.md"), before+tableHead+table(t, f, rows)+after)
}

// leadingRows splits off the table rows at the beginning of a text.
func leadingRows(text string) (rows []string, rest string) {
	for strings.HasPrefix(text, "|") {
		var row string
		row, text, _ = strings.Cut(text, "\n")
		rows = append(rows, row)
	}
	return rows, text
}

// table returns a row for each field, with the description of the existing row.
func table(t *testing.T, f cli.Function, rows []string) string {
	t.Helper()
	descriptions := map[string]string{}
	for _, row := range rows {
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), " |")
		require.Len(t, cells, 4, row)
		descriptions[strings.Trim(cells[0], " `")] = strings.TrimSpace(cells[3])
	}
	var all strings.Builder
	for _, field := range f.Fields() {
		help := strings.ReplaceAll(field.Help, "|", `\|`)
		all.WriteString("|" + cell(field.Key) + cell(field.Usage()) + cell(field.Default()) + " ")
		all.WriteString(cmp.Or(descriptions[field.Key], help) + " |\n")
		assert.NotEmpty(t, field.Help, "%s must have a help", field.Key)
	}
	return all.String()
}

// cell returns a cell with code, or an empty one.
func cell(code string) string {
	if code == "" {
		return " |"
	}
	return " `" + code + "` |"
}
