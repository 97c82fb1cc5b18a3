package renderdiff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// limit leaves out of the other side what a live one cannot tell: hooks, which are applied later, and kinds that it has
// nothing of, since who asked for the objects may not have asked for these.
func (c *compare) limit(of, other *state) {
	if !of.live {
		return
	}
	note := func(format string, args ...any) {
		c.report.NotCompared = append(c.report.NotCompared, fmt.Sprintf(format, args...))
	}
	if !slices.Contains(slices.Collect(maps.Values(of.kinds)), true) {
		note("%s has nothing that was rendered", of.name)
		return
	}
	note("fields that only %s has, which are defaults or set by admission webhooks", of.name)
	if hooks := other.drop((*object).isHook); hooks > 0 {
		note("%d hooks of the delete phase, which %s has only when they run", hooks, of.name)
	}
	missing := map[string]int{}
	other.drop(func(o *object) bool {
		isMissing := !o.isWorkload() && !of.kinds[o.kind]
		if isMissing {
			missing[o.kind]++
		}
		return isMissing
	})
	for kind, count := range missing {
		note("%d objects of kind %s, since %s has none", count, kind, of.name)
	}
}

// isLeftover reports whether a cluster keeps an object of an earlier render that nothing uses: its name ends in a hash.
func isLeftover(o *object) bool {
	switch o.kind {
	case kindConfigMap, kindJob, kindPod, "Role", "RoleBinding", "ServiceAccount":
		return o.fact(contract.PhaseKey) != ""
	}
	return o.isOfEngine()
}
