package review

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/resource-plugins/krm-functions/commands/review/renderdiff"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
)

// side is a side of a comparison.
type side struct {
	*renderdiff.Side

	read     *load.Package // nil unless it was rendered in parts
	clusters []string      // of its sandboxes
	err      error
}

// bothSides reads and renders both sides at the same time. Sandboxes with the same text on both sides are left out if an
// earlier call found nothing wrong with them, and the rest is the same, too: see incremental.OpenSides.
func (f *diffFlags) bothSides(ctx context.Context, before, after diffSource, how load.Options) (older, newer *side) {
	oldCache, newCache := f.caches(before, after, how)
	older, newer = f.eachSide(before, after, how, oldCache, newCache)
	if errors.Is(older.err, incremental.ErrStale) || errors.Is(newer.err, incremental.ErrStale) {
		oldCache, newCache = incremental.SidesWithoutIndex(newCache)
		older, newer = f.eachSide(before, after, how, oldCache, newCache)
	}
	if older.err == nil && newer.err == nil {
		// Without an index, the next call takes longer, and that is all.
		_ = incremental.SaveSides(ctx, oldCache, newCache, older.read, newer.read)
	}
	return older, newer
}

// caches returns the caches of both sides; nil if one of them cannot be read twice, or is not rendered.
func (f *diffFlags) caches(before, after diffSource, how load.Options) (older, newer *incremental.Cache) {
	for _, of := range []diffSource{before, after} {
		if f.noCache || of.live || of.readsStdin() {
			return nil, nil
		}
	}
	chain := f.chain
	settings, err := json.Marshal([]any{
		"diff", cli.BuildVersion(), chain.Render, chain.Resolve, chain.Sandbox, chain.Validate.Rules, chain.NoForks, how.Values,
	})
	if err != nil || f.inParts(chain, nil) == nil {
		return nil, nil
	}
	older, newer, _ = incremental.OpenSides(incremental.Options{Settings: string(settings)})
	return older, newer
}

func (f *diffFlags) eachSide(
	before, after diffSource, how load.Options, oldCache, newCache *incremental.Cache,
) (older, newer *side) {
	var both sync.WaitGroup
	one := func(of diffSource, cache *incremental.Cache, to **side) {
		both.Go(func() {
			s, err := f.side(of, how, cache)
			if s == nil {
				s = &side{}
			}
			s.err = err
			*to = s
		})
	}
	one(before, oldCache, &older)
	one(after, newCache, &newer)
	both.Wait()
	return older, newer
}
