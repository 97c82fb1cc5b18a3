package diagram

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// drawDOT draws a digraph with a cluster for each plugin, and in it one for each phase. Steps of a layer have one rank.
func drawDOT(pictures []*Picture) []byte {
	var b bytes.Buffer
	b.WriteString("digraph plugins {\n" +
		"  graph [rankdir=LR, newrank=true, ranksep=0.8, labeljust=l, fontname=\"Helvetica\", style=rounded, color=gray]\n" +
		"  node [shape=box, fontname=\"Helvetica\"]\n" +
		"  edge [fontname=\"Helvetica\", fontsize=10]\n")
	for n, p := range pictures {
		d := dot{Buffer: &b, Picture: p, plugin: fmt.Sprintf("p%d", n+1)}
		d.draw()
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// dot writes the cluster of one plugin, whose identifiers start with the plugin's.
type dot struct {
	*bytes.Buffer
	*Picture
	plugin string
}

func (d *dot) draw() {
	d.line(1, "subgraph cluster_%s {", d.plugin)
	d.line(2, "label=%s", quoteDOT(d.Title))
	for _, phase := range v1alpha1.Phases {
		if steps := d.phase(phase); len(steps) > 0 {
			d.drawPhase(phase, steps)
		}
	}
	for i, param := range d.params() {
		id := fmt.Sprintf("%s_in%d", d.plugin, i+1)
		d.line(2, "%s [label=%s, shape=ellipse]", id, quoteDOT("param "+param.name))
		for _, to := range param.steps {
			d.line(2, "%s -> %s", id, d.step(to))
		}
	}
	for _, bundle := range d.bundles() {
		style := ""
		if bundle.across {
			style = ", style=dashed"
		}
		d.line(2, "%s -> %s [label=%s%s]", d.step(bundle.from), d.step(bundle.to), quoteDOT(bundle.reads...), style)
	}
	number := 0
	for i, step := range d.Steps {
		for _, output := range step.Outputs {
			if !output.Read {
				number++
				id := fmt.Sprintf("%s_out%d", d.plugin, number)
				d.line(2, "%s [label=%s, shape=cds]", id, quoteDOT(step.Name+"."+output.Name))
				d.line(2, "%s -> %s", d.step(i), id)
			}
		}
	}
	d.line(1, "}")
}

func (d *dot) drawPhase(phase v1alpha1.Phase, steps []int) {
	d.line(2, "subgraph cluster_%s_%s {", d.plugin, phase)
	d.line(3, "label=%s", quoteDOT(string(phase)))
	layers := map[int][]string{}
	for _, i := range steps {
		d.line(3, "%s [label=%s]", d.step(i), quoteDOT(d.Steps[i].Name))
		layers[d.Steps[i].Layer] = append(layers[d.Steps[i].Layer], d.step(i))
	}
	for layer := range len(layers) {
		if same := layers[layer]; len(same) > 1 {
			d.line(3, "{rank=same; %s}", strings.Join(same, "; "))
		}
	}
	d.line(2, "}")
}

func (d *dot) step(i int) string { return fmt.Sprintf("%s_s%d", d.plugin, i+1) }

func (d *dot) line(depth int, format string, args ...any) {
	d.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(d, format+"\n", args...)
}

// quoteDOT writes lines as a label. A label is read for escapes such as \N and for HTML's entities.
func quoteDOT(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(line)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
