package resolve

import (
	"fmt"
	"math"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/version"
)

// stage is one filter of the pipeline that a reference goes through.
type stage struct {
	// name says which versions it keeps.
	name string
	// keep returns the versions that the stage keeps.
	keep func([]*entry) []*entry
	// prefers makes the stage a preference: if it would keep nothing it is skipped, with a warning about the version that
	// is chosen then, if there is a warning.
	prefers bool
	warning string
	// refused says, after "no version in …", why the stage kept none of the versions.
	refused func([]*entry) string
}

// pipeline returns the stages for a reference, in order. channelVersion is the version of its channel, nil if it names
// none.
//
// A broken version passes every stage but the first, which looks at the version alone: if it were dropped, another
// version would be chosen in silence.
func (c *Catalog) pipeline(reference version.Reference, channelVersion *semver.Version) []stage {
	stages := []stage{selection(reference, channelVersion)}
	chooses := reference.Floats() && channelVersion == nil
	if chooses {
		stages = append(stages, notYanked())
	}
	if c.kubernetes != nil {
		stages = append(stages, c.runnable())
	}
	if chooses {
		stages = append(stages, notDeprecated(), highestPriority())
	}
	return stages
}

// selection is the stage of the reference itself.
func selection(reference version.Reference, channelVersion *semver.Version) stage {
	switch {
	case channelVersion != nil:
		return stage{name: reference.Selector, keep: filter(func(e *entry) bool { return e.is(channelVersion) })}
	case reference.Floats() && !reference.Ranges():
		return stage{
			name: "releases", prefers: true,
			keep:    filter(func(e *entry) bool { return e.name.Version.Prerelease() == "" }),
			warning: "%s is a prerelease, chosen since there is no release: name it in the reference to accept it",
		}
	default:
		return stage{
			name: reference.Selector, keep: filter(func(e *entry) bool { return reference.Admits(e.name.Version) }),
		}
	}
}

func notYanked() stage {
	return stage{
		name: "not yanked",
		keep: filter(func(e *entry) bool { return e.broken != nil || e.yanked() == "" }),
		refused: func(entries []*entry) string {
			return "that is not yanked: " + describe(entries, func(e *entry) string {
				return fmt.Sprintf("%s is yanked (%q)", e.name.Version, e.yanked())
			})
		},
	}
}

// notDeprecated needs no warning: every choice of a deprecated version has one.
func notDeprecated() stage {
	return stage{
		name: "not deprecated", prefers: true,
		keep: filter(func(e *entry) bool { return e.broken != nil || e.deprecated() == "" }),
	}
}

// runnable keeps what runs on the cluster's version of Kubernetes.
func (c *Catalog) runnable() stage {
	return stage{
		name: "Kubernetes " + c.kubernetes.String(),
		keep: filter(func(e *entry) bool {
			lowest := e.kubernetes()
			return e.broken != nil || lowest == nil || !lowest.GreaterThan(c.kubernetes)
		}),
		refused: func(entries []*entry) string {
			return fmt.Sprintf("for Kubernetes %s: %s", c.kubernetes, describe(entries, func(e *entry) string {
				return fmt.Sprintf("%s requires %s", e.name.Version, e.kubernetes())
			}))
		},
	}
}

// highestPriority keeps the versions of the highest priority that is left, so that no catalog of a lower one can take
// over a name by publishing a higher version.
func highestPriority() stage {
	return stage{name: "highest priority", keep: func(entries []*entry) []*entry {
		highest := math.MinInt
		for _, e := range entries {
			highest = max(highest, e.priority())
		}
		return filter(func(e *entry) bool { return e.broken != nil || e.priority() == highest })(entries)
	}}
}

func filter(keep func(*entry) bool) func([]*entry) []*entry {
	return func(entries []*entry) []*entry {
		return slices.DeleteFunc(slices.Clone(entries), func(e *entry) bool { return !keep(e) })
	}
}
