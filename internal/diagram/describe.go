package diagram

import (
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// titles is the title of an image.
func titles(pictures []*Picture) string {
	names := make([]string, len(pictures))
	for i, p := range pictures {
		names[i] = p.Title
	}
	return "The steps of " + strings.Join(names, ", ")
}

// describe is the text alternative of an image.
func describe(pictures []*Picture) string {
	var b strings.Builder
	for _, p := range pictures {
		for _, phase := range v1alpha1.Phases {
			p.describe(&b, phase)
		}
	}
	return strings.TrimSpace(b.String())
}

// describe writes a phase: its steps by layer, then the flows.
func (p *Picture) describe(b *strings.Builder, phase v1alpha1.Phase) {
	layers := make([]string, 0, len(p.Steps))
	for _, layer := range p.layers(phase) {
		names := make([]string, len(layer))
		for n, i := range layer {
			names[n] = p.Steps[i].Name
			if mark := p.Steps[i].Mark; mark != "" {
				names[n] += " (" + string(mark) + ")"
			}
		}
		layers = append(layers, strings.Join(names, " and "))
	}
	if len(layers) == 0 {
		return
	}
	b.WriteString(p.Title + ", " + string(phase) + ": " + strings.Join(layers, ", then ") + ".\n")
	for _, flow := range p.Flows {
		if p.Steps[flow.To].Phase == phase {
			b.WriteString(p.sentence(flow) + ".\n")
		}
	}
}

// sentence describes a flow.
func (p *Picture) sentence(flow Flow) string {
	from, to := p.Steps[flow.From], p.Steps[flow.To]
	return to.Name + " takes " + to.Inputs[flow.Input].Name + " from " + from.Name + "." + from.Outputs[flow.Output].Name
}
