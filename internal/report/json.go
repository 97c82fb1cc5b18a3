package report

import (
	"io"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// located is a result with its place in a file, which the KRM Functions Specification does not support.
type located struct {
	krm.Result
	Place place `json:"place,omitzero"`
}

type place struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// suppressed is a located result that a comment suppresses.
type suppressed struct {
	located
	Reason string `json:"reason"`
}

// writeJSON prints one JSON object with the summary, the findings, and the suppressed findings.
func (r *Report) writeJSON(out io.Writer) error {
	all := struct {
		Summary    string       `json:"summary"`
		Results    []located    `json:"results"`
		Suppressed []suppressed `json:"suppressed,omitempty"`
	}{Summary: r.Summary, Results: make([]located, len(r.Results))}
	for i, result := range r.Results {
		all.Results[i] = located{result, place(result.Place)}
	}
	for _, finding := range r.Suppressed {
		all.Suppressed = append(all.Suppressed, suppressed{located{finding.Result, place(finding.Place)}, finding.Reason})
	}
	return WriteJSON(out, all)
}
