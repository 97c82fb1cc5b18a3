package validateplugin

import (
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/parts"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Split implements cli.Splitter.
func (c *Config) Split(cache *incremental.Cache) cli.PartsProcessor {
	return &processor{parts.New(parts.Options{Extensions: c.extensions, Cache: cache, Checked: true}), c}
}

// processor is Config for a part of the documents at a time.
type processor struct {
	*parts.Parts
	config *Config
}

// ProcessParts implements cli.PartsProcessor. The plugins are checked once, before the sandboxes.
func (p *processor) ProcessParts(call cli.Call, documents cli.Postponed) (summary string, done bool, err error) {
	if p.config.Strict {
		call.RefuseFileWarnings()
	}
	options := p.config.options()
	var checked Checked
	run := func(list *krm.ResourceList, isPart bool) (_ parts.Outcome, err error) {
		if !isPart {
			checked, err = Check(list, options, nil, p.config.extensions...)
			return parts.Outcome{}, err
		}
		results, err := checked.Sandboxes(list, options)
		list.Report(results...)
		return parts.Outcome{}, err
	}
	if _, done, err = p.Run(run, call, documents); err != nil || !done {
		return "", false, err
	}
	return checked.withSandboxes(documents.Len + call.Reused).String(), true, nil
}
