package cli

import "io"

// format prints the findings of file mode.
type format func(out io.Writer, r *report) error

// The values of --output.
const (
	outputText  = "text"
	outputJSON  = "json"
	outputSARIF = "sarif"
	outputJUnit = "junit"
)

var outputs = []string{outputText, outputJSON, outputSARIF, outputJUnit}

// formatOf returns the format of that name, nil where there is none.
func formatOf(name string) format {
	switch name {
	case outputText:
		return printText
	case outputJSON:
		return printJSON
	case outputSARIF:
		return printSARIF
	case outputJUnit:
		return printJUnit
	}
	return nil
}
