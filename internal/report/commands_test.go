package report_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/runnerlog"
)

// Nothing that is printed has a workflow command, in any part of a finding, and in every format.
func TestWrite_hasNoCommands(t *testing.T) {
	t.Parallel()
	for _, text := range runnerlog.Hostile() {
		var document yaml.Node
		source := "kind: " + strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "\r", " ") + "\n" + text + "\n"
		require.NoError(t, yaml.Unmarshal([]byte("kind: a\n"), &document))
		file := text + ".yaml"
		item := krm.FromNode(document.Content[0], file)
		var results krm.Results
		for _, message := range []string{text, "plain"} {
			result := krm.At(item, krm.Path("").Key(text), krm.Warning, message)
			result.Place = krm.Place{File: file, Line: 1, Column: 7}
			result.Tags = map[string]string{krm.RuleTag: text}
			result.ResourceRef.Name, result.ResourceRef.Kind = text, text
			results = append(results, result, krm.NewResult(krm.Error, text))
		}
		r := &report.Report{
			Name: text, Results: results, List: krm.NewList(item), Summary: text, Style: report.Style{Context: true},
			Files: edit.NewFiles(func(string) []byte { return []byte(source) }),
		}
		for _, format := range report.Formats() {
			var out bytes.Buffer
			require.NoError(t, r.Write(&out, format))
			assertNoCommands(t, out.String(), format)
			if format == report.JSON {
				assert.True(t, json.Valid(out.Bytes()))
				assert.NotContains(t, out.String(), "\u0085")
			}
		}
		assertNoCommands(t, report.FindingsError(results).Error(), "error")
		assertNoCommands(t, string(report.Style{}.Diff([]byte("--- a\n+++ b\n"+text+"\n+"+text+"\n-::debug::x\n"))), "diff")
	}
}

func assertNoCommands(t *testing.T, text, what string) {
	t.Helper()
	for _, line := range runnerlog.Lines(text) {
		assert.Empty(t, runnerlog.Command(line), "%s: %q", what, line)
	}
}

// A log has no commands, however the writes are divided.
func TestLogWriter(t *testing.T) {
	t.Parallel()
	for _, text := range runnerlog.Hostile() {
		for size := 1; size < 5; size++ {
			var out bytes.Buffer
			log, flush := report.ForLog(&out, func(string) string { return "true" })
			for part := range slices.Chunk([]byte("a\n"+text), size) {
				_, err := log.Write(part)
				require.NoError(t, err)
			}
			flush()
			assertNoCommands(t, out.String(), "log")
		}
	}
	out, _ := report.ForLog(&bytes.Buffer{}, func(string) string { return "" })
	assert.IsType(t, &bytes.Buffer{}, out, "elsewhere nothing is changed")
	assert.Equal(t, "a ::debug::b\n#1 [x]\n", report.WithoutCommands("a ::debug::b\n#1 [x]\n"))
}

// What another program prints cannot control the terminal.
func TestPlainWriter(t *testing.T) {
	t.Parallel()
	for size := 1; size < 6; size++ {
		var out bytes.Buffer
		log := report.NewPlainWriter(&out)
		for part := range slices.Chunk([]byte("a\tb\r\n\x1b]0;x\a\x1b[2J\u202e::debug::y\n::debug::z\rover\n\xff end"), size) {
			_, err := log.Write(part)
			require.NoError(t, err)
		}
		require.NoError(t, log.Flush())
		assert.Equal(t, "a\tb\n"+`\x1b]0;x\a\x1b[2J\u202e::debug::y`+"\n"+`\x3a:debug::z\rover`+"\n\ufffd end", out.String())
	}
}

// JSON has no raw control or format characters, and the same values.
func TestWriteJSON(t *testing.T) {
	t.Parallel()
	text := "a\u0085b\u202ec\u2028d\u007fe\u200bf\U000e0001g##[error]h\u00e9"
	var out bytes.Buffer
	require.NoError(t, report.WriteJSON(&out, map[string]string{text: text}))
	for _, r := range out.String() {
		assert.True(t, r == '\n' || r < 0x7f || unicode.IsPrint(r), "%q", r)
	}
	var read map[string]string
	require.NoError(t, json.Unmarshal(out.Bytes(), &read))
	assert.Equal(t, map[string]string{text: text}, read)
}
