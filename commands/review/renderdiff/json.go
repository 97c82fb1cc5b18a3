package renderdiff

import (
	"fmt"
	"io"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// Format is how a report is printed.
type Format string

// The formats.
const (
	Text     Format = "text"
	JSON     Format = "json"
	Markdown Format = "markdown"
)

// Formats lists the formats.
var Formats = []Format{Text, JSON, Markdown}

// Write prints the report in a format.
func (r *Report) Write(out io.Writer, format Format) error {
	switch format {
	case Text:
		return r.writeText(out)
	case JSON:
		return r.writeJSON(out)
	case Markdown:
		return r.writeMarkdown(out)
	}
	return fmt.Errorf("unknown format %q", format)
}

func (r *Report) writeJSON(out io.Writer) error {
	return report.WriteJSON(out, r)
}
