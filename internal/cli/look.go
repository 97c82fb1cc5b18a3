package cli

import (
	"os"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// look is how findings are shown as text.
type look struct {
	color   bool
	context bool // with the line of the source below, and a caret
}

// lookOf decides how findings are shown: for people on a terminal, for machines elsewhere. NO_COLOR is of
// https://no-color.org.
func lookOf(terminal, context bool, environment func(string) string) look {
	return look{
		color:   terminal && environment("NO_COLOR") == "" && environment("TERM") != "dumb",
		context: terminal || context,
	}
}

func (r *run) look() look {
	return lookOf(isTerminal(r.stdout.Writer), r.Context, os.Getenv)
}

// The escape sequences of a terminal.
const (
	plain  = "\x1b[0m"
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	blue   = "\x1b[34m"
)

// paint puts a text in a color. The text must be printable.
func (l look) paint(color, text string) string {
	if !l.color || text == "" {
		return text
	}
	return color + text + plain
}

func colorOf(severity krm.Severity) string {
	switch severity {
	case krm.Info:
		return blue
	case krm.Warning:
		return yellow
	default:
		return red
	}
}
