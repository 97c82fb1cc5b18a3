package diagram

import (
	"bytes"
	_ "embed" // the template
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// drawGraph draws the pictures in a language whose program does the layout. quote joins lines into one label.
func drawGraph(language string, pictures []*Picture, quote func(lines ...string) string) ([]byte, error) {
	graphs := make([]graph, len(pictures))
	for i, p := range pictures {
		graphs[i] = newGraph(fmt.Sprintf("p%d", i+1), p)
	}
	var b bytes.Buffer
	functions := template.FuncMap{"quote": func(text any) string {
		if lines, several := text.([]string); several {
			return quote(lines...)
		}
		return quote(fmt.Sprint(text))
	}, "record": quoteRecord, "colors": func() map[Mark]string { return colors }, "class": Mark.class, "marked": isMarked}
	parsed, err := template.New("").Funcs(functions).Parse(language)
	if err != nil {
		return nil, err
	}
	err = parsed.Execute(&b, graphs)
	return b.Bytes(), err
}

func isMarked(graphs []graph) bool {
	return slices.ContainsFunc(graphs, func(g graph) bool { return g.Marked })
}

// graph is a picture as nodes and edges. Each node has an identifier that starts with the plugin's.
type graph struct {
	ID, Title string
	Phases    []phaseNodes
	Params    []param
	Bundles   []bundle
	Reads     []read
	// Unread are the outputs for workloads.
	Unread []unread
	// Marked reports whether a step has a mark.
	Marked bool
}

// colors are the colours of the marks, which are visible on light and dark backgrounds.
var colors = map[Mark]string{
	Blocked: "#b083f0", Failed: "#e5534b", Stale: "#cc6b2c", Missing: "#848d97", Unknown: "#848d97",
	InProgress: "#4184e4", Waits: "#848d97", Ready: "#46954a",
	Runs: "#4184e4", RunsAgain: "#cc6b2c",
}

type phaseNodes struct {
	Name  v1alpha1.Phase
	Steps []stepNode
	// Layers are the identifiers of the steps of each layer.
	Layers [][]string
}

type stepNode struct {
	ID string
	// Lines are the name, and the mark if there is one.
	Lines []string
	// Class is that of the mark; Color is its colour.
	Class, Color string
	// Inputs and Outputs are their names.
	Inputs, Outputs []string
}

// param is a param of the sandbox with the steps, and their inputs, that use it.
type param struct {
	ID, Name      string
	Steps, Inputs []string
}

// read is an input that reads an output.
type read struct {
	From, To string
	Across   bool
}

// bundle is all flows from one step to another, which are drawn as one edge.
type bundle struct {
	From, To string
	Across   bool
	// Reads are the flows' labels, without duplicates: the output's name, and the input's name if it differs.
	Reads []string
}

type unread struct{ ID, Name, Step, Port string }

func newGraph(id string, p *Picture) graph {
	g := graph{ID: id, Title: p.Title}
	for i := range p.Steps {
		if i == 0 || p.Steps[i-1].Phase != p.Steps[i].Phase {
			g.Phases = append(g.Phases, phaseNodes{Name: p.Steps[i].Phase})
		}
		g.addStep(&g.Phases[len(g.Phases)-1], i, &p.Steps[i])
	}
	ofStep := 0 // start of the consumer's bundles: flows are in the order of consumers
	for i, flow := range p.Flows {
		if i > 0 && p.Flows[i-1].To != flow.To {
			ofStep = len(g.Bundles)
		}
		from := g.step(flow.From)
		g.Reads = append(g.Reads, read{outputPort(from, flow.Output), inputPort(g.step(flow.To), flow.Input), p.across(flow)})
		at := ofStep + slices.IndexFunc(g.Bundles[ofStep:], func(b bundle) bool { return b.From == from })
		if at < ofStep {
			at = len(g.Bundles)
			g.Bundles = append(g.Bundles, bundle{From: from, To: g.step(flow.To), Across: p.across(flow)})
		}
		if reads := p.reads(flow); !slices.Contains(g.Bundles[at].Reads, reads) {
			g.Bundles[at].Reads = append(g.Bundles[at].Reads, reads)
		}
	}
	return g
}

// addStep adds a step to its phase, and its params and unread outputs to the graph.
func (g *graph) addStep(phase *phaseNodes, i int, step *Step) {
	id := g.step(i)
	one := stepNode{ID: id, Lines: []string{step.Name}, Class: step.Mark.class(), Color: colors[step.Mark]}
	if step.Mark != "" {
		one.Lines = append(one.Lines, string(step.Mark))
		g.Marked = true
	}
	for i, input := range step.Inputs {
		one.Inputs = append(one.Inputs, input.Name)
		if input.Param {
			g.addParam("param "+input.Name, id, inputPort(id, i))
		}
	}
	for i, output := range step.Outputs {
		one.Outputs = append(one.Outputs, output.Name)
		if !output.Read {
			out := fmt.Sprintf("%s_out%d", g.ID, len(g.Unread)+1)
			g.Unread = append(g.Unread, unread{out, step.Name + "." + output.Name, id, outputPort(id, i)})
		}
	}
	phase.Steps = append(phase.Steps, one)
	for len(phase.Layers) <= step.Layer {
		phase.Layers = append(phase.Layers, nil)
	}
	phase.Layers[step.Layer] = append(phase.Layers[step.Layer], id)
}

// inputPort and outputPort name a row of a step's box, at the side where edges end and begin.
func inputPort(step string, i int) string { return fmt.Sprintf("%s:i%d:w", step, i) }

func outputPort(step string, i int) string { return fmt.Sprintf("%s:o%d:e", step, i) }

func (g *graph) addParam(name, step, input string) {
	i := slices.IndexFunc(g.Params, func(p param) bool { return p.Name == name })
	if i < 0 {
		i = len(g.Params)
		g.Params = append(g.Params, param{ID: fmt.Sprintf("%s_in%d", g.ID, i+1), Name: name})
	}
	g.Params[i].Inputs = append(g.Params[i].Inputs, input)
	steps := &g.Params[i].Steps
	if n := len(*steps); n == 0 || (*steps)[n-1] != step {
		*steps = append(*steps, step)
	}
}

func (g *graph) step(i int) string { return fmt.Sprintf("%s_s%d", g.ID, i+1) }

// reads is the label of a flow.
func (p *Picture) reads(flow Flow) string {
	output, input := p.Steps[flow.From].Outputs[flow.Output].Name, p.Steps[flow.To].Inputs[flow.Input].Name
	if output == input {
		return output
	}
	return output + " → " + input
}

// dot draws a cluster for each plugin, and in it one for each phase. Steps of a layer have one rank. Edges connect rows
// of the boxes, so they need no labels, which Graphviz would put on other edges.
//
//go:embed dot.tmpl
var dot string

// quoteDOT writes lines as a label. A label is read for escapes such as \N and for HTML's entities.
func quoteDOT(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = escapeDOT.Replace(line)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}

// quoteRecord writes the label of a step: its lines above a column of inputs and one of outputs. Graphviz turns a
// record by 90 degrees if ranks go from left to right. Characters with a meaning in records are also escaped.
func quoteRecord(step stepNode) string {
	lines := make([]string, len(step.Lines))
	for i, line := range step.Lines {
		lines[i] = escapeRecord.Replace(line)
	}
	label := strings.Join(lines, `\n`)
	var columns []string
	for _, column := range []struct {
		port  string
		names []string
	}{{"i", step.Inputs}, {"o", step.Outputs}} {
		rows := make([]string, len(column.names))
		for i, name := range column.names {
			rows[i] = fmt.Sprintf("<%s%d>%s", column.port, i, escapeRecord.Replace(name))
		}
		if len(rows) > 0 {
			columns = append(columns, "{"+strings.Join(rows, "|")+"}")
		}
	}
	if len(columns) > 0 {
		label += "|{" + strings.Join(columns, "|") + "}"
	}
	return `"` + label + `"`
}

var (
	escapeDOT    = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`)
	escapeRecord = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`,
		"{", `\{`, "}", `\}`, "|", `\|`, "<", `\<`, ">", `\>`, " ", `\ `)
)
