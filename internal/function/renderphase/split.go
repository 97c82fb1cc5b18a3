package renderphase

import (
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/parts"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Split implements cli.Splitter. The namespaces that an option chooses are those of all sandboxes together.
func (c *renderPhase) Split(cache *incremental.Cache) cli.PartsProcessor {
	if c.Images || c.Lock || len(c.Namespaces) > 0 || cache != nil {
		return nil
	}
	total := &Total{}
	all := parts.New(parts.Options{Cluster: c.Cluster, Rendering: total, Extensions: c.extensions.Common()})
	return &processor{all, total, c}
}

// processor is renderPhase for a part of the documents at a time.
type processor struct {
	*parts.Parts
	total  *Total
	config *renderPhase
}

// ProcessParts implements cli.PartsProcessor.
func (p *processor) ProcessParts(call cli.Call, documents cli.Postponed) (summary string, done bool, err error) {
	options := p.config.options(call)
	var rendered Rendered
	run := func(list *krm.ResourceList, isPart bool) (parts.Outcome, error) {
		own := options
		own.Part = isPart
		of, err := Render(list, own, p.config.extensions...)
		if !isPart {
			rendered = of
		}
		outcome := parts.Outcome{Objects: of.Objects(), Rendered: p.total.Part(of.Phases)}
		if list.Results().Failed() {
			outcome.Failed, outcome.IsRendering = 1, true
		}
		return outcome, err
	}
	_, done, err = p.Run(run, call, documents)
	if err != nil || !done {
		return "", false, err
	}
	rendered.Phases = p.total.Phases
	return rendered.String(), true, nil
}
