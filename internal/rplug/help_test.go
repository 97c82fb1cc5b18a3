package rplug

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// topicText returns the page of a topic.
func topicText(t *testing.T, name string) string {
	t.Helper()
	for _, one := range topics() {
		if one.name == name {
			return one.text
		}
	}
	require.Fail(t, "there must be a topic", name)
	return ""
}

// A page fits a screen of 60 lines and 100 columns, and begins with a title that fits the list of topics.
func TestTopicsFit(t *testing.T) {
	t.Parallel()
	for _, one := range topics() {
		lines := strings.Split(strings.TrimSuffix(one.text, "\n"), "\n")
		assert.LessOrEqual(t, len(lines), 58, one.name)
		assert.LessOrEqual(t, len(one.title), 86, one.name)
		require.Greater(t, len(lines), 2, one.name)
		assert.Empty(t, lines[1], "%s: below the title is a blank line", one.name)
		for _, line := range lines {
			assert.LessOrEqual(t, len(line), 100, "%s: %s", one.name, line)
			assert.Equal(t, strings.TrimRight(line, " \t"), line, one.name)
		}
	}
}

func TestTopicOfTemplates(t *testing.T) {
	t.Parallel()
	text := topicText(t, "templates")
	limits := fmt.Sprintf("It may have %d MiB, and a document with everything that is filled in %d MiB.",
		load.MaxEmbedded>>20, load.MaxInserted>>20)
	assert.Contains(t, strings.Join(strings.Fields(text), " "), limits)
	for _, encoding := range []string{"raw", "yaml", "binary", "nonsense"} {
		expander := load.Expander{Values: map[string]string{"a": "b"}}
		node, problem := strictyaml.Parse([]byte(`"@{a[` + encoding + `]}"`))
		require.Nil(t, problem)
		expander.Expand(node, "")
		assert.Equal(t, len(expander.Problems) == 0, strings.Contains(text, "\n  "+encoding+" "), encoding)
	}
}

func TestTopicOfDelivery(t *testing.T) {
	t.Parallel()
	text := topicText(t, "delivery")
	title, rest, _ := strings.Cut(text, "\n")
	assert.True(t, strings.HasSuffix(title, ": "+strings.Join(render.Tools, ", ")), title)
	for _, tool := range render.Tools {
		assert.Contains(t, rest, "\n  "+tool+" ")
	}
	assert.Contains(t, rest, "Without the flag the tool is "+render.DefaultOptions().Delivery+".")
}

// The file on the page is valid, and has all keys.
func TestTopicOfTheProject(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	for line := range strings.Lines(topicText(t, "project")) {
		if text, isFile := strings.CutPrefix(line, "  "); isFile && !strings.HasPrefix(text, programName+" ") {
			file.WriteString(text)
		}
	}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, cli.ProjectFile), []byte(file.String()), 0o600))
	found, err := cli.FindProject(folder)
	require.NoError(t, err)
	value := reflect.ValueOf(found.Project)
	for i := range value.NumField() {
		assert.False(t, value.Field(i).IsZero(), value.Type().Field(i).Name)
	}
	assert.Equal(t, reflect.TypeFor[v1alpha1.Project](), value.Type())
}

func TestTopicOfExitCodes(t *testing.T) {
	t.Parallel()
	text := strings.ToLower(strings.Join(strings.Fields(topicText(t, "exit-codes")), " "))
	formats := report.Formats()
	last := len(formats) - 1
	assert.Contains(t, text, "as "+strings.Join(formats[:last], ", ")+" or "+formats[last]+":")
	for _, code := range []int{ExitClean, ExitFindings, ExitCall} {
		assert.Contains(t, topicText(t, "exit-codes"), fmt.Sprintf("\n  %d  ", code))
	}
}
