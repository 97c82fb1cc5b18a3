package sandbox

import (
	"net/url"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// sandboxEndpoints lists the endpoints of a sandbox: of its default route group, and the two deprecated sorts.
func (r *routing) sandboxEndpoints(s *input) {
	o := s.keyOwner()
	if s.Spec.DefaultRouteGroup != nil {
		for i, e := range s.Spec.DefaultRouteGroup.Endpoints {
			at := krm.Path("spec.defaultRouteGroup.endpoints").Index(i)
			if t := r.target(s.Item, at, e.Target, s.services, "that the sandbox forks and a Service selects"); t != nil {
				r.endpoint(s.Item, at, o, e.Name, t)
			}
		}
	}
	for i, e := range s.Spec.Endpoints {
		at := krm.Path("spec.endpoints").Index(i)
		if wrong := document.CheckHost(e.Host); wrong != "" {
			r.report(s.Item, at.Key("host"), krm.Error, "host %s", wrong)
			continue
		}
		r.endpoint(s.Item, at, o, e.Name, newTarget(url.URL{Scheme: schemeOf(e.Protocol), Host: hostPort(e.Host, e.Port)}))
	}
	for i := range s.Spec.Forks {
		r.forkEndpoints(s, i, o)
	}
}

func (r *routing) forkEndpoints(s *input, fork int, o keyOwner) {
	for i, e := range s.Spec.Forks[fork].Endpoints {
		at := krm.Path("spec.forks").Index(fork).Key("endpoints").Index(i)
		t := &target{url: url.URL{Scheme: schemeOf(e.Protocol)}, port: e.Port}
		if !t.leadTo(s.services, s.Spec.Forks[fork].ForkOf) {
			r.report(s.Item, at.Key("port"), krm.Error,
				"port must be one that a Service of the workload leads to, not %d: add the Service to the list", e.Port)
			continue
		}
		r.endpoint(s.Item, at, o, e.Name, t)
	}
}

// groupEndpoints lists the endpoints of a route group, but for those that are in another cluster.
func (r *routing) groupEndpoints(g *routedGroup) {
	o := g.keyOwner()
	for i, e := range g.Spec.Endpoints {
		if e.Cluster != "" && r.cluster != "" && e.Cluster != r.cluster {
			continue
		}
		at := krm.Path("spec.endpoints").Index(i)
		if t := r.target(g.Item, at, e.Target, g.services, "in the list that a Service there selects"); t != nil {
			r.endpoint(g.Item, at, o, e.Name, t)
		}
	}
}

// target reads the target of an endpoint. If it is a workload it becomes one of the Services, which are in front of the
// workloads that "which" describes; otherwise it is nil, with an error.
func (r *routing) target(item *krm.Item, at krm.Path, text string, services []routedService, which string) *target {
	t, ok := parseTarget(text)
	if !ok {
		r.report(item, at.Key("target"), krm.Error, "must be a URL such as %q, not %q", exampleTarget, text)
		return nil
	}
	if w, ok := v1alpha1.TargetWorkload(text); ok && !t.leadTo(services, w) {
		r.report(item, at.Key("target"), krm.Error, "target must be a port of a workload %s, not %q: name the Service, as in %q",
			which, text, exampleTarget)
		return nil
	}
	return t
}

const exampleTarget = "http://web.shop.svc:8080"

func schemeOf(protocol string) string {
	if protocol == "" {
		return "http"
	}
	return protocol
}

// endpoint lists an endpoint, and publishes it at the Gateway if there is one.
func (r *routing) endpoint(item *krm.Item, at krm.Path, o keyOwner, name string, t *target) {
	e := endpoint{item: item, at: at, name: name, url: t.url.String(), key: o.key}
	switch {
	case r.gateway == nil || r.mode == none:
	case t.service == "" || t.url.Scheme == "https":
		r.report(item, at, krm.Info, "endpoint %q must lead to a Service that speaks without TLS to be published at the Gateway, "+
			"not to %q: requests to it must carry the key themselves", name, e.url)
	default:
		p := r.publish(o, name, t)
		e.url, e.keyed = p.url(r.gateway.scheme, t), true
		if r.mode == istio {
			r.istioEndpoint(o, p)
		} else {
			r.gatewayEndpoint(o, p)
		}
	}
	r.out.endpoints = append(r.out.endpoints, e)
}
