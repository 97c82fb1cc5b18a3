package renderdiff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// limit drops objects of the other side that a live one cannot have: hooks, which are applied later, and kinds that it has
// no objects of, since the dump may have been made without them.
func (c *compare) limit(of, other *state) {
	if !of.live {
		return
	}
	note := func(format string, args ...any) {
		c.report.NotCompared = append(c.report.NotCompared, fmt.Sprintf(format, args...))
	}
	if !slices.Contains(slices.Collect(maps.Values(of.kinds)), true) {
		note("everything, since %s has no rendered objects", of.name)
		return
	}
	note("fields that only %s has: defaults, and fields set by admission webhooks", of.name)
	if hooks := other.drop((*object).isHook); hooks > 0 {
		note("%d hooks of the delete phase, which %s has only while they run", hooks, of.name)
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

// isLeftover reports whether an object may be one of an earlier render that is not used any more: its name ends in a hash.
func isLeftover(o *object) bool {
	switch o.kind {
	case kindConfigMap, kindJob, kindPod, "Role", "RoleBinding", "ServiceAccount", "PodDisruptionBudget":
		return o.fact(contract.PhaseKey) != ""
	}
	return o.isOfEngine()
}
