package diagram

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// Format is a language of pictures.
type Format string

// The formats.
const (
	Mermaid Format = "mermaid" // a flowchart for Markdown that GitHub and others show: https://mermaid.js.org
	DOT     Format = "dot"     // a digraph for Graphviz: https://graphviz.org/doc/info/lang.html
	SVG     Format = "svg"     // an image that needs nothing else
)

// Formats lists the formats.
var Formats = []Format{Mermaid, DOT, SVG}

// Draw draws the pictures into one document of the format. An error means that they are too large for it.
func Draw(format Format, pictures []*Picture) ([]byte, error) {
	switch format {
	case Mermaid:
		return drawGraph(mermaid, pictures, quoteMermaid)
	case DOT:
		return drawGraph(dot, pictures, quoteDOT)
	case SVG:
		return drawSVG(pictures)
	}
	return nil, fmt.Errorf("must be one of %q, not %q", Formats, format)
}

// phase returns the indices of a phase's steps.
func (p *Picture) phase(phase v1alpha1.Phase) []int {
	var steps []int
	for i, step := range p.Steps {
		if step.Phase == phase {
			steps = append(steps, i)
		}
	}
	return steps
}
