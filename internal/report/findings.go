package report

import (
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// FindingsError is the error of a command whose documents have errors. It has a line for each error and warning.
type FindingsError krm.Results

// Refused returns results as a FindingsError if one of them is an error, otherwise nil.
func Refused(results []krm.Result) error {
	if krm.Results(results).Failed() {
		return FindingsError(krm.Results(results).Sort())
	}
	return nil
}

// Error returns the lines.
func (f FindingsError) Error() string {
	var lines []string
	for _, result := range f {
		if result.Severity != krm.Info {
			lines = append(lines, Line(result, Style{}))
		}
	}
	return WithoutCommands(strings.Join(lines, "\n"))
}
