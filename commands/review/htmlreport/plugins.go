package htmlreport

import (
	"html/template"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// pluginCard is a plugin.
type pluginCard struct {
	card
	Description      string
	Image, Namespace string
	// Picture shows the steps; NoPicture is the reason why there is no picture.
	Picture   template.HTML
	NoPicture string
	Phases    []phaseRows
	Steps     int
	UsedBy    []link

	name, last string // of the document; the sandbox that was counted last
	uses       int
}

// card is the common part of all cards of documents.
type card struct {
	Anchor, Name, Place string
	Errors, Warnings    int
}

// link is a link to a card.
type link struct{ Anchor, Text string }

type phaseRows struct {
	Phase v1alpha1.Phase
	Steps []stepRow
}

// stepRow is a step of a plugin.
type stepRow struct {
	Name    string
	Inputs  []inputRow
	Outputs []outputRow
	Script  string
}

type inputRow struct {
	Name string
	// From is the param or the output that it reads, and As the place where the script finds it.
	From string
	As   []string
}

type outputRow struct{ Name, Path, Description string }

// newCard returns the card of a document, whose findings link to it.
func (b *builder) newCard(kind, name string, item *krm.Item) card {
	c := card{Anchor: b.anchor(kind, name), Name: report.Printable(name)}
	place := item.PlaceOf("")
	c.Place = report.Printable(report.PlaceText(krm.Result{Place: krm.Place{File: place.File, Line: place.Line}}))
	b.cards[item] = c.Anchor
	c.Errors, c.Warnings = b.counts[item][krm.Error], b.counts[item][krm.Warning]
	return c
}

func (b *builder) plugins() (cards []pluginCard) {
	for _, item := range b.List.Of(contract.APIVersion, contract.ResourcePlugin) {
		p, _ := document.ReadPlugin(item)
		one := pluginCard{
			card: b.newCard("plugin", p.Name, item), Description: report.Printable(p.Spec.Description),
			Image: report.Printable(p.Spec.Runner.Image), Namespace: report.Printable(p.Spec.RunnerNamespace()), name: p.Name,
			Steps: len(p.Spec.Create) + len(p.Spec.Delete),
		}
		one.Picture, one.NoPicture = picture(p, one.Anchor+"_picture")
		for _, phase := range v1alpha1.Phases {
			if steps := p.Spec.Workflow(phase); len(steps) > 0 {
				one.Phases = append(one.Phases, phaseRows{phase, stepRows(steps)})
			}
		}
		cards = append(cards, one)
	}
	return cards
}

// picture draws the steps of a plugin. The markup of package diagram is safe: names in it are escaped.
func picture(p *document.Plugin, id string) (image template.HTML, why string) {
	drawn, problems := diagram.New(p)
	if len(problems) > 0 {
		return "", report.Printable(problems[0].String())
	}
	if len(drawn.Steps) == 0 {
		return "", ""
	}
	text, err := diagram.Embed(drawn, id)
	if err != nil {
		return "", report.Printable(err.Error())
	}
	return template.HTML(text), ""
}

func stepRows(steps []v1alpha1.Step) []stepRow {
	rows := make([]stepRow, len(steps))
	for i, step := range steps {
		rows[i] = stepRow{Name: report.Printable(step.Name), Script: printable([]byte(step.Script))}
		for _, input := range step.Inputs {
			one := inputRow{Name: report.Printable(input.Name), From: "param"}
			if from := input.ValueFromStep; from != nil {
				one.From = report.Printable(from.Key())
			}
			for _, as := range []string{input.Env(), input.Path()} {
				if as != "" {
					one.As = append(one.As, report.Printable(as))
				}
			}
			rows[i].Inputs = append(rows[i].Inputs, one)
		}
		for _, output := range step.Outputs {
			rows[i].Outputs = append(rows[i].Outputs, outputRow{
				report.Printable(output.Name), report.Printable(output.ValueFromPath), report.Printable(output.Description),
			})
		}
	}
	return rows
}

// mostUses is the number of sandboxes named as users of a plugin.
const mostUses = 20

// link links plugins with the sandboxes that use them.
func (b *builder) link(c *content) {
	at := map[string]int{}
	for i := range c.Plugins {
		at[c.Plugins[i].Anchor] = i
	}
	for _, s := range c.Sandboxes {
		for _, r := range s.Resources {
			if r.PluginAnchor != "" {
				p := &c.Plugins[at[r.PluginAnchor]]
				if p.last == s.Anchor {
					continue
				}
				p.last = s.Anchor
				if p.uses++; p.uses <= mostUses {
					p.UsedBy = append(p.UsedBy, link{s.Anchor, s.Name})
				}
			}
		}
	}
}

// Uses is the text with the number of sandboxes that use a plugin.
func (p pluginCard) Uses() string {
	if p.uses == 0 {
		return "not used"
	}
	return "used by " + report.Count(p.uses, "sandbox")
}

// More is the number of sandboxes that use a plugin without being named.
func (p pluginCard) More() int { return p.uses - len(p.UsedBy) }
