package resolveversion

import (
	"sync"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/parts"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Split implements cli.Splitter.
func (c *resolveConfig) Split(*incremental.Cache) cli.PartsProcessor {
	if resolve.Moves(c.ResolveVersion) {
		return nil
	}
	return &processor{parts.New(parts.Options{
		MayLock: c.Mode != resolve.Locked, Extensions: c.extensions,
	}), c}
}

// processor is resolveConfig for a part of the documents at a time.
type processor struct {
	*parts.Parts
	config *resolveConfig
}

// ProcessParts implements cli.PartsProcessor. An error takes all documents: its message names all sandboxes concerned.
func (p *processor) ProcessParts(call cli.Call, documents cli.Postponed) (summary string, done bool, err error) {
	var mu sync.Mutex
	var total Resolved
	run := func(list *krm.ResourceList, isPart bool) (outcome parts.Outcome, err error) {
		resolved, err := p.config.resolve(call, list)
		if list.Results().Failed() {
			outcome.Failed = 1
		}
		mu.Lock()
		defer mu.Unlock()
		if !isPart {
			total = resolved
			return outcome, err
		}
		total.Plugins = total.Plugins.Plus(resolved.Plugins)
		outcome.Objects = list.Of(contract.APIVersion, contract.Sandbox)
		return outcome, err
	}
	if _, done, err = p.Run(run, call, documents); err != nil || !done {
		return "", false, err
	}
	return total.String(), true, nil
}
