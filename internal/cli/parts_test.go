package cli

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// named postpones one document of two, before or after it was parsed.
type named struct {
	PartsProcessor
	postponed *krm.Item
}

func (n named) Defers(item *krm.Item) bool    { return item == n.postponed }
func (n named) Postpone(d load.Document) bool { return d.Item == n.postponed }

func TestPostponer_limitsGarbageOnceADocumentIsPostponed(t *testing.T) {
	kept, postponed := &krm.Item{}, &krm.Item{}
	for name, isPostponed := range map[string]func(load.Postponer, *krm.Item) bool{
		"before it is parsed": load.Postponer.Defers,
		"after it is parsed":  func(p load.Postponer, item *krm.Item) bool { return p.Postpone(load.Document{Item: item}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(100))
			defer allowGarbage()
			allowGarbage()
			p := newPostponer(named{postponed: postponed}, nil)

			assert.False(t, isPostponed(p, kept))
			assert.Zero(t, limit.percent, "its tree stays")

			assert.True(t, isPostponed(p, postponed))
			assert.Equal(t, GrowthOfTexts, limit.percent)
		})
	}
}
