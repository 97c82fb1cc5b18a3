package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Colors and source lines are for people on a terminal; --context requests source lines for other outputs, too.
func TestStyle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		terminal, context bool
		environment       map[string]string
		want              Style
	}{
		{false, false, nil, Style{}},
		{false, true, nil, Style{Context: true}},
		{true, false, nil, Style{Color: true, Context: true}},
		{true, true, map[string]string{"NO_COLOR": "1"}, Style{Context: true}},
		{true, false, map[string]string{"NO_COLOR": ""}, Style{Color: true, Context: true}},
		{true, false, map[string]string{"TERM": "dumb"}, Style{Context: true}},
		{true, false, map[string]string{"TERM": "xterm"}, Style{Color: true, Context: true}},
		{false, false, map[string]string{"TERM": "xterm", "FORCE_COLOR": "1"}, Style{}},
	} {
		environment := func(name string) string { return c.environment[name] }
		assert.Equal(t, c.want, StyleFor(c.terminal, c.context, environment), "%+v", c)
	}
}

// Without colors, a line is equal to that for programs.
func TestColorsAddNothingElse(t *testing.T) {
	t.Parallel()
	for _, severity := range []krm.Severity{krm.Error, krm.Warning, krm.Info, ""} {
		result := krm.NewResult(severity, "must not \x1b[0m")
		result.Field, result.Place = &krm.Field{Path: "a"}, krm.Place{File: "f\x1b", Line: 1, Column: 2}
		result.ResourceRef = &krm.ResourceRef{}
		result.ResourceRef.Kind, result.ResourceRef.Name = "K", "n"
		colored := Line(result, Style{Color: true})
		require.Contains(t, colored, "\x1b[")
		for _, sequence := range []string{plain, bold, red, yellow, blue} {
			colored = strings.ReplaceAll(colored, sequence, "")
		}
		assert.Equal(t, Line(result, Style{}), colored)
		assert.NotContains(t, colored, "\x1b")
	}
}
