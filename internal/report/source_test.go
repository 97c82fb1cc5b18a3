package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func TestSource(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100) + ": " + strings.Repeat("y", 100)
	file := "one: 1\ntwo: \"2\"\n\x1b[31mthree: 3\n\n" + long + "\n"
	for name, test := range map[string]struct {
		line, column, around int
		value                any
		want                 []report.SourceLine
	}{
		"a value, with the lines around": {2, 6, 1, "2", []report.SourceLine{
			{Number: 1, Before: "one: 1"}, {Number: 2, Before: "two: ", Marked: `"2"`}, {Number: 3, Before: `\x1b[31mthree: 3`}}},
		"at the beginning of a file": {1, 1, 2, nil, []report.SourceLine{
			{Number: 1, Marked: "o", After: "ne: 1"}, {Number: 2, Before: `two: "2"`}, {Number: 3, Before: `\x1b[31mthree: 3`}}},
		"no empty line at the end": {3, 0, 1, nil, []report.SourceLine{
			{Number: 2, Before: `two: "2"`}, {Number: 3, Before: `\x1b[31mthree: 3`}}},
		"a long line is cut": {5, 103, 0, strings.Repeat("y", 100), []report.SourceLine{
			{Number: 5, Before: "…" + strings.Repeat("x", 58) + ": ", Marked: strings.Repeat("y", 60), After: "…"}}},
		"no line":         {0, 0, 1, nil, nil},
		"behind the file": {9, 1, 0, nil, nil},
		"behind the line": {1, 99, 0, nil, []report.SourceLine{{Number: 1, Before: "one: 1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &report.Report{Files: edit.NewFiles(func(string) []byte { return []byte(file) })}
			result := krm.NewResult(krm.Error, "x")
			result.Place = krm.Place{File: "f.yaml", Line: test.line, Column: test.column}
			if test.value != nil {
				result.Field = &krm.Field{CurrentValue: test.value}
			}
			assert.Equal(t, test.want, r.Source(result, test.around))
		})
	}
}
