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
		return drawMermaid(pictures), nil
	case DOT:
		return drawDOT(pictures), nil
	case SVG:
		return drawSVG(pictures)
	}
	return nil, fmt.Errorf("must be one of %q, not %q", Formats, format)
}

// bundle is all that one step reads from another, for formats that draw one line for it.
type bundle struct {
	from, to int
	across   bool
	// reads are the flows' labels, each once: the output's name, and what the input calls it if that differs.
	reads []string
}

func (p *Picture) bundles() []bundle {
	var bundles []bundle
	at := map[[2]int]int{}
	drawn := map[[2]int]map[string]bool{}
	for _, flow := range p.Flows {
		key := [2]int{flow.From, flow.To}
		n, known := at[key]
		if !known {
			n = len(bundles)
			at[key], drawn[key] = n, map[string]bool{}
			bundles = append(bundles, bundle{from: flow.From, to: flow.To, across: p.across(flow)})
		}
		if text := p.reads(flow); !drawn[key][text] {
			drawn[key][text] = true
			bundles[n].reads = append(bundles[n].reads, text)
		}
	}
	return bundles
}

// reads words what a flow carries.
func (p *Picture) reads(flow Flow) string {
	output, input := p.Steps[flow.From].Outputs[flow.Output].Name, p.Steps[flow.To].Inputs[flow.Input].Name
	if output == input {
		return output
	}
	return output + " → " + input
}

// source is a param of the sandbox with the steps that take it.
type source struct {
	name  string
	steps []int
}

// params returns the params that the steps take, in the order in which they are first taken.
func (p *Picture) params() []source {
	var params []source
	at := map[string]int{}
	for n, step := range p.Steps {
		for _, input := range step.Inputs {
			if !input.Param {
				continue
			}
			i, known := at[input.Name]
			if !known {
				i = len(params)
				at[input.Name] = i
				params = append(params, source{name: input.Name})
			}
			if taken := params[i].steps; len(taken) == 0 || taken[len(taken)-1] != n {
				params[i].steps = append(params[i].steps, n)
			}
		}
	}
	return params
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
