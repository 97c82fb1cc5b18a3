package report

import "github.com/resource-plugins/krm-functions/pkg/krm"

// Style is the style of findings in text.
type Style struct {
	// Color colors the text with the escape sequences of a terminal.
	Color bool
	// Context prints the source line below each finding, with a caret.
	Context bool
}

// StyleFor returns the style for people if the output is a terminal, and for programs otherwise. Context requests source
// lines in both cases. The variables NO_COLOR (https://no-color.org) and TERM=dumb turn colors off.
func StyleFor(terminal, context bool, environment func(string) string) Style {
	return Style{
		Color:   terminal && environment("NO_COLOR") == "" && environment("TERM") != "dumb",
		Context: terminal || context,
	}
}

// Escape sequences of terminals.
const (
	plain  = "\x1b[0m"
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	blue   = "\x1b[34m"
)

// paint colors a printable text.
func (s Style) paint(color, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return color + text + plain
}

// Failure colors a failure, which the user must fix.
func (s Style) Failure(text string) string { return s.paint(red, text) }

// Pending colors work in progress.
func (s Style) Pending(text string) string { return s.paint(yellow, text) }

// Success colors a success.
func (s Style) Success(text string) string { return s.paint(green, text) }

// Quiet colors a skipped item.
func (s Style) Quiet(text string) string { return s.paint(blue, text) }

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
