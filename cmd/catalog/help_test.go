package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
)

// The help of every command fits a screen of 40 lines and 100 columns.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"catalog": help()}
	for _, c := range commands() {
		flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		c.prepare(flags)
		texts[c.name] = c.help(flags)
	}
	for name, text := range texts {
		assert.LessOrEqual(t, strings.Count(text, "\n"), 40, name)
		for line := range strings.Lines(text) {
			assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), screen, "%s: %s", name, line)
		}
	}
}
