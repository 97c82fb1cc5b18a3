package cli

import (
	"encoding/json"
	"io"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// jsonReport is what --output json prints.
type jsonReport struct {
	Summary string    `json:"summary"`
	Results []located `json:"results"`
}

// located is a result with the place that the KRM Functions Specification has no field for.
type located struct {
	krm.Result
	Place *place `json:"place,omitempty"`
}

type place struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// printJSON prints one JSON object with the summary and the findings.
func printJSON(out io.Writer, r *report) error {
	all := jsonReport{Summary: r.summary, Results: make([]located, len(r.results))}
	for i, result := range r.results {
		all.Results[i].Result = result
		if at := result.Place; at.File != "" {
			all.Results[i].Place = &place{File: at.File, Line: at.Line, Column: at.Column}
		}
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(all)
}
