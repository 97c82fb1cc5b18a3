package process

import (
	"io"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// format prints the findings of file mode.
type format func(out io.Writer, results krm.Results, summary string) error

// The values of --output.
const (
	outputText = "text"
	outputJSON = "json"
)

var outputs = []string{outputText, outputJSON}

// formatOf returns the format of that name, nil where there is none.
func formatOf(name string) format {
	switch name {
	case outputText:
		return printText
	case outputJSON:
		return printJSON
	}
	return nil
}
