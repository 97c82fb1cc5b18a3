package validate

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const ttlPath krm.Path = "spec.ttl"

var ttlDuration = Rule{
	ID: "ttl-duration", Severity: krm.Error,
	Summary: "A ttl's duration is `<n><unit>`: n an unsigned number of 32 bits, the unit m, h, d or w.",
	Why:     "Signadot reads no other form of it.",
	Example: "spec.ttl.duration: 90s",
	checks: []check{
		sandboxCheck(func(r *Rule, s *sandbox) { s.duration(r, s.Spec.TTL) }),
		routeGroupCheck(func(r *Rule, g *routeGroup) { g.duration(r, g.Spec.TTL) }),
	},
}

var ttlOffset = Rule{
	ID: "ttl-offset", Severity: krm.Error,
	Summary: "A ttl's offsetFrom is createdAt or updatedAt; that of a route group may be noMatchedSandboxes too.",
	Why:     "Signadot counts from no other moment.",
	Example: "spec.ttl.offsetFrom: deletedAt",
	checks: []check{
		sandboxCheck(func(r *Rule, s *sandbox) {
			if s.Spec.TTL != nil {
				s.OneOf(r, ttlPath.Key("offsetFrom"), s.Spec.TTL.OffsetFrom, "createdAt", "updatedAt")
			}
		}),
		routeGroupCheck(func(r *Rule, g *routeGroup) {
			if g.Spec.TTL != nil {
				g.OneOf(r, ttlPath.Key("offsetFrom"), g.Spec.TTL.OffsetFrom, "noMatchedSandboxes", "createdAt", "updatedAt")
			}
		}),
	},
}

// TTLIgnored is the id of the rule about a ttl that nothing acts on.
const TTLIgnored = "ttl-ignored"

var ttlIgnored = Rule{
	ID: TTLIgnored, Severity: krm.Warning,
	Summary: "A ttl that ends nothing by itself is acted on by rplug expire, or by what is rendered with the option expiry; " +
		"turn the rule off for rplug expire.",
	Why: "Manifests have no clock: only forks and routes whose ttl counts from createdAt get an annotation for kube-janitor, " +
		"and what plugins created stays.",
	Sources: []string{},
	Example: "spec.ttl: {duration: 2d, offsetFrom: updatedAt}",
	checks: []check{
		sandboxCheck(func(r *Rule, s *sandbox) {
			hasResources := len(s.Spec.Resources) > 0 || s.Unsure("spec.resources")
			s.ignored(r, s.Spec.TTL, hasResources || s.Spec.TTL != nil && s.Spec.TTL.OffsetFrom == "updatedAt",
				"; or build with --expiry cluster")
		}),
		routeGroupCheck(func(r *Rule, g *routeGroup) {
			g.ignored(r, g.Spec.TTL, g.Spec.TTL != nil && g.Spec.TTL.OffsetFrom != "createdAt", "")
		}),
	},
}

func (c *Document) ignored(r *Rule, ttl *v1alpha1.TTL, isIgnored bool, otherwise string) {
	if absent, err := document.IsAbsent(c.item); ttl != nil && isIgnored && !absent && err == nil {
		c.Report(r, ttlPath, "nothing acts on the ttl %q: run `rplug expire --write` on a schedule, and set the rule %s to off "+
			"in rplug.yaml%s", ttl.Duration, r.ID, otherwise)
	}
}

func (c *Document) duration(r *Rule, ttl *v1alpha1.TTL) {
	if ttl == nil || ttl.Duration == "" {
		return
	}
	if _, err := document.ParseTTL(ttl.Duration); err != nil {
		c.Must(r, ttlPath.Key("duration"), "", err.Error())
	}
}
