package report

import (
	"io"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// located is a result with its place in a file, for which the KRM Functions Specification has no field.
type located struct {
	krm.Result
	Place place `json:"place,omitzero"`
}

type place struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// writeJSON prints one JSON object with the summary and the findings.
func (r *Report) writeJSON(out io.Writer) error {
	all := struct {
		Summary string    `json:"summary"`
		Results []located `json:"results"`
	}{r.Summary, make([]located, len(r.Results))}
	for i, result := range r.Results {
		all.Results[i] = located{result, place(result.Place)}
	}
	return encodeJSON(out, all)
}
