package report

import "github.com/resource-plugins/krm-functions/pkg/krm"

// Style is how findings are printed as text.
type Style struct {
	// Color colors the text with the escape sequences of a terminal.
	Color bool
	// Context prints the line of the source below each finding, with a caret.
	Context bool
}

// StyleFor returns the style for people on a terminal, or for programs elsewhere. Context asks for the source lines
// elsewhere too. The variables NO_COLOR (https://no-color.org) and TERM=dumb turn colors off.
func StyleFor(terminal, context bool, environment func(string) string) Style {
	return Style{
		Color:   terminal && environment("NO_COLOR") == "" && environment("TERM") != "dumb",
		Context: terminal || context,
	}
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

// paint colors a text, which must be printable.
func (s Style) paint(color, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return color + text + plain
}

// Failure colors what somebody must act on.
func (s Style) Failure(text string) string { return s.paint(red, text) }

// Pending colors what is not done.
func (s Style) Pending(text string) string { return s.paint(yellow, text) }

// Success colors what is done.
func (s Style) Success(text string) string { return s.paint(green, text) }

// Quiet colors what was left out.
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
