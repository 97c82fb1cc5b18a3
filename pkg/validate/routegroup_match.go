package validate

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var matchForm = Rule{
	ID: "match-form", Severity: krm.Error,
	Summary: "A match has exactly one of label, any and all, and so has each match within it.",
	Why:     "It would not say which sandboxes it matches, or say it twice.",
	Example: "spec.match.all: [{label: {key: team, value: shop}}]",
	checks: eachMatch(func(r *Rule, g *routeGroup, path krm.Path, match *v1alpha1.RouteGroupMatch) {
		if n := count(match.Label != nil, len(match.Any) > 0, len(match.All) > 0); n != 1 {
			g.Report(r, path, "must have exactly one of label, any and all, not %d of them", n)
		}
	}),
}

var matchLabel = Rule{
	ID: "match-label", Severity: krm.Error,
	Summary: "A match names a label that a sandbox can have: a key of at most 255 letters, digits, dashes and underscores.",
	Why:     "It would never match.",
	Sources: []string{routeGroupSpec, sandboxSpec},
	Example: `spec.match.any[0].label.key: "my label"`,
	checks: eachMatch(func(r *Rule, g *routeGroup, path krm.Path, match *v1alpha1.RouteGroupMatch) {
		if match.Label != nil && match.Label.Key != "" {
			g.Must(r, path.Key("label").Key("key"), "label key", checkLabelKey(match.Label.Key))
		}
	}),
}

// eachMatch checks the match of a route group and each match within it.
func eachMatch(do func(*Rule, *routeGroup, krm.Path, *v1alpha1.RouteGroupMatch)) []check {
	return []check{routeGroupCheck(func(r *Rule, g *routeGroup) {
		if g.Spec.Match == nil {
			return
		}
		for path, match := range document.Matches(g.Spec.Match, "spec.match") {
			do(r, g, path, match)
		}
	})}
}
