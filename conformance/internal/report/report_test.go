package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/conformance/internal/check"
	"github.com/resource-plugins/krm-functions/conformance/internal/program"
	"github.com/resource-plugins/krm-functions/conformance/internal/suite"
)

// example is a report with a case of each status.
func example() *Report {
	must := &suite.Case{ID: "input/json", Title: "accepts JSON", Level: suite.Must, Sentence: "A function MUST use utf8 encoding", Reason: "r"}
	convention := &suite.Case{ID: "keep/order", Title: "keeps the order of items", Level: suite.Convention, By: "kpt <users>", Reason: "r"}
	return &Report{Function: "my-function", Profile: suite.Transformer, Outcomes: []*check.Outcome{
		{Case: must, Status: check.Passed, Runs: []*program.Observation{{Stdin: []byte("in")}}},
		{Case: convention, Status: check.Failed, Problems: []string{"the order is b, a", "second"}, Runs: []*program.Observation{
			{Stdin: []byte("in"), Stdout: []byte("out \xff"), Stderr: []byte("<why>"), Exit: 1},
		}},
		{Case: &suite.Case{ID: "hermetic/network", Level: suite.Convention}, Status: check.Skipped, Reason: "needs bubblewrap"},
		{Case: &suite.Case{ID: "scale/time", Level: suite.Convention}, Status: check.Blocked, Reason: "needs scale/small"},
	}}
}

func TestReport_Write(t *testing.T) {
	t.Parallel()
	for _, format := range Formats {
		var out bytes.Buffer
		require.NoError(t, example().Write(&out, format))
		file := filepath.Join("testdata", "report."+format)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.WriteFile(file, out.Bytes(), 0o600))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), out.String(), format)
		switch format {
		case "json", "badge":
			assert.True(t, json.Valid(out.Bytes()))
		case "junit":
			var suite struct{}
			require.NoError(t, xml.Unmarshal(out.Bytes(), &suite))
		}
	}
	assert.EqualError(t, example().Write(&bytes.Buffer{}, "html"), `unknown format "html"`)
}

func TestReport_countsStatuses(t *testing.T) {
	t.Parallel()
	report := example()
	assert.True(t, report.Failed())
	assert.Equal(t, 1, report.Count(check.Blocked))
	report.Outcomes = report.Outcomes[:1]
	assert.False(t, report.Failed())
	var badge bytes.Buffer
	require.NoError(t, report.Write(&badge, "badge"))
	assert.Contains(t, badge.String(), "brightgreen")
}

func TestLimit_saysHowMuchIsMissing(t *testing.T) {
	t.Parallel()
	text := limit([]byte(strings.Repeat("é", 20<<10)))
	assert.Less(t, len(text), 17<<10)
	assert.True(t, strings.HasSuffix(text, "\n… 24576 more bytes"), text[len(text)-40:])
}

// The explanation of each case has its sentence, and the input that the function gets.
func TestExplain(t *testing.T) {
	t.Parallel()
	cases, err := suite.Load()
	require.NoError(t, err)
	data := suite.Data{Config: []byte("kind: Mine"), Invalid: []byte("kind: Invalid")}
	for _, c := range cases {
		var out bytes.Buffer
		require.NoError(t, Explain(&out, c, data), c.ID)
		text := out.String()
		assert.True(t, strings.HasPrefix(text, c.ID+" ("+string(c.Level)+"): the function "+c.Title), text)
		assert.Contains(t, text, c.Reason)
		assert.Contains(t, text, "\nCheck: "+c.Check.Is)
		assert.Equal(t, !c.Every, strings.Contains(text, "\nInput:\n"), c.ID)
	}
}
