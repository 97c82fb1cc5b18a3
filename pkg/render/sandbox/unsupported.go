package sandbox

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// reportUnsupported reports what of a sandbox cannot be rendered into Kubernetes objects, an info each.
func (s *input) reportUnsupported() {
	report := func(at krm.Path, format string, args ...any) {
		s.report(at, krm.Info, "not rendered: "+fmt.Sprintf(format, args...))
	}
	for i, local := range s.Spec.Local {
		report(krm.Path("spec.local").Index(i), "%q runs on a workstation, and the tunnel to it is the vendor's", local.Name)
	}
	for i, virtual := range s.Spec.Virtual {
		report(krm.Path("spec.virtual").Index(i), "%q takes part without a copy, which needs the vendor's proxies", virtual.Name)
	}
	for i, middleware := range s.Spec.Middleware {
		report(krm.Path("spec.middleware").Index(i), "middleware %q runs in the vendor's proxies", middleware.Name)
	}
	if s.Spec.Routing != nil {
		for i, forward := range s.Spec.Routing.Forwards {
			report(krm.Path("spec.routing.forwards").Index(i), "forward %q is a tunnel of the vendor's", forward.Name)
		}
	}
	if s.Spec.Connection != nil && s.Spec.Connection.DevboxID != "" {
		report("spec.connection.devboxId", "the devbox is for local workloads alone")
	}
	if s.Spec.LocalMachineID != "" {
		report("spec.localMachineID", "the machine is for local workloads alone")
	}
	if ttl := s.Spec.TTL; ttl != nil && s.ttl() == "" {
		report("spec.ttl.offsetFrom", "no janitor knows when a sandbox was last updated; what is rendered has no end of its own")
	}
}

// sinceCreated is the offset of a ttl that a janitor can count from: an object's creation. It is the default of sandboxes,
// and not of route groups.
const sinceCreated = "createdAt"

// ttl returns how long the copies live, as kube-janitor reads it: its units are those of the Sandbox spec. Empty is for
// ever.
func (s *input) ttl() string {
	if ttl := s.Spec.TTL; ttl != nil && (ttl.OffsetFrom == "" || ttl.OffsetFrom == sinceCreated) {
		return ttl.Duration
	}
	return ""
}

func (g *routedGroup) ttl() string {
	if ttl := g.Spec.TTL; ttl != nil && ttl.OffsetFrom == sinceCreated {
		return ttl.Duration
	}
	return ""
}

// reportGroupTTLs reports ttls of route groups that cannot be rendered.
func (r *renderer) reportGroupTTLs() {
	for _, g := range r.groups {
		if g.Spec.TTL != nil && g.ttl() == "" {
			r.list.Report(krm.At(g.Item, "spec.ttl", krm.Info,
				"not rendered: no janitor knows which sandboxes a route group matches, or when it was last updated; its routes have no "+
					"end of their own"))
		}
	}
}
