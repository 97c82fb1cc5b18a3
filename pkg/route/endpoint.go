package route

import (
	"net/url"
	"strconv"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/naming"
	"github.com/resource-plugins/krm-functions/pkg/sandbox"
)

// sandboxEndpoints lists the endpoints of a sandbox: of its default route group, and the two deprecated sorts.
func (r *rendering) sandboxEndpoints(s *Sandbox) {
	o := ownerOf(s)
	if s.Spec.DefaultRouteGroup != nil {
		for i, e := range s.Spec.DefaultRouteGroup.Endpoints {
			at := krm.Path("spec.defaultRouteGroup.endpoints").Index(i)
			t, ok := parseTarget(e.Target)
			if !ok {
				r.badTarget(s.Item, at.Key("target"), e.Target)
				continue
			}
			if is, ok := t.workload(); ok && !t.onFork(s, is) {
				r.report(s.Item, at.Key("target"), krm.Error, "target must be a port of a workload that the sandbox forks and a "+
					"Service selects, not %q: name the Service, as in %q", e.Target, "http://web.shop.svc:8080")
				continue
			}
			r.endpoint(s.Item, at, &o, e.Name, t)
		}
	}
	for i, e := range s.Spec.Endpoints {
		at := krm.Path("spec.endpoints").Index(i)
		text := schemeOf(e.Protocol) + "://" + e.Host + ":" + strconv.Itoa(e.Port)
		if t, ok := parseTarget(text); ok {
			r.endpoint(s.Item, at, &o, e.Name, t)
		} else {
			r.badTarget(s.Item, at.Key("host"), text)
		}
	}
	for i := range s.Spec.Forks {
		fork := &s.Spec.Forks[i]
		for j, e := range fork.Endpoints {
			at := krm.Path("spec.forks").Index(i).Key("endpoints").Index(j)
			t := &target{url: url.URL{Scheme: schemeOf(e.Protocol)}, port: e.Port}
			if !t.onFork(s, func(w sandbox.Workload) bool { return w == fork.ForkOf }) {
				r.report(s.Item, at.Key("port"), krm.Error,
					"port must be one that a Service of the workload leads to, not %d: add the Service to the list", e.Port)
				continue
			}
			r.endpoint(s.Item, at, &o, e.Name, t)
		}
	}
}

func (r *rendering) groupEndpoints(g *Group) {
	o := groupOwner(g)
	for i, e := range g.Spec.Endpoints {
		at := krm.Path("spec.endpoints").Index(i)
		if t, ok := parseTarget(e.Target); ok {
			r.endpoint(g.Item, at, &o, e.Name, t)
		} else {
			r.badTarget(g.Item, at.Key("target"), e.Target)
		}
	}
}

func (r *rendering) badTarget(item *krm.Item, at krm.Path, text string) {
	r.report(item, at, krm.Error, "must be a URL such as %q, not %q", "http://web.shop.svc:8080", text)
}

func schemeOf(protocol string) string {
	if protocol == "" {
		return "http"
	}
	return protocol
}

// endpoint lists an endpoint, and publishes it at the Gateway where there is one.
func (r *rendering) endpoint(item *krm.Item, at krm.Path, o *owner, name string, t *target) {
	e := Endpoint{Item: item, At: at, Name: name, URL: t.url.String(), Key: o.key}
	switch {
	case r.Gateway == nil || r.Mode == None:
	case t.service == "" || t.url.Scheme == "https":
		r.report(item, at, krm.Info, "endpoint %q must lead to a Service that speaks without TLS to be published at the Gateway, "+
			"not to %q: requests to it must carry the key themselves", name, e.URL)
	default:
		p := r.publish(o, name, t)
		e.URL, e.Keyed = p.url(r.Gateway.Scheme, t), true
		if r.Mode == Istio {
			r.istioEndpoint(o, p)
		} else {
			r.gatewayEndpoint(o, p)
		}
	}
	r.out.Endpoints = append(r.out.Endpoints, e)
}

// published is an endpoint at a Gateway.
type published struct {
	name, hostname     string
	namespace, service string
	port               int
}

// publish gives an endpoint its host name. Where the key leads to a fork of the Service the Gateway sends requests there
// itself: not every mesh has its Gateway look at the routes of a Service.
func (r *rendering) publish(o *owner, name string, t *target) *published {
	p := &published{name: name, namespace: t.namespace, service: t.service, port: t.port}
	if h := r.table.hosts[hostKey{t.namespace, t.service}]; h != nil {
		if rule, forked := h.rules[o.key]; forked {
			p.service = rule.fork
		}
	}
	label := naming.File(name) + "--" + o.key
	if len(label) > maxHostLabel {
		label = naming.Object(naming.Hash("endpoint", o.key, name), name)
	}
	p.hostname = label + "." + r.Gateway.Domain
	return p
}

// maxHostLabel is the longest label of a host name, in bytes (RFC 1035).
const maxHostLabel = 63

func (p *published) objectName(o *owner) string {
	return naming.Object(naming.Hash("endpoint-route", o.key, p.name), o.name, p.name)
}

func (p *published) url(scheme string, t *target) string {
	u := t.url
	if u.Scheme, u.Host = scheme, p.hostname; scheme == "" {
		u.Scheme = "http"
	}
	return u.String()
}
