package sandbox

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// endpoint is a URL that leads into a sandbox or a route group.
type endpoint struct {
	// item is the document that lists the endpoint, at the path.
	item *krm.Item
	at   krm.Path
	name string
	// url is the address for requests. If it is keyed, its host name carries the key; otherwise each request must carry
	// it.
	url, key string
	keyed    bool
}

// renderRoutes renders the routes to the forks and reports the endpoints.
func (r *renderer) renderRoutes() {
	present := slices.DeleteFunc(slices.Clone(r.sandboxes), func(s *input) bool { return s.absent })
	for i := range r.groups {
		r.groups[i].services = r.targets(r.groups[i].RouteGroup)
	}
	r.routes = renderRoutes(present, r.groups, r.options)
	r.list.Report(r.routes.results...)
	for _, e := range r.routes.endpoints {
		message := "endpoint " + e.name + ": " + e.url
		if !e.keyed {
			message += " with the header " + contract.RoutingHeader + ": " + e.key
		}
		r.list.Report(krm.At(e.item, e.at, krm.Info, message))
	}
}

// targets returns the Services of the workloads that a route group's targets name.
func (r *renderer) targets(g *document.RouteGroup) (services []routedService) {
	for _, e := range g.Spec.Endpoints {
		reference, ok := v1alpha1.TargetWorkload(e.Target)
		if !ok {
			continue
		}
		if w, err := r.baseline.find(reference); err == nil {
			for _, service := range w.services {
				services = append(services, routedService{frontend: service, workload: reference})
			}
		}
	}
	return services
}

// annotateEndpoints writes the endpoints into annotations of the documents, and removes outdated ones.
func (r *renderer) annotateEndpoints() {
	lists := map[*krm.Item][]string{}
	for _, e := range r.routes.endpoints {
		lists[e.item] = append(lists[e.item], e.name+"="+strings.ReplaceAll(e.url, ",", "%2C"))
	}
	annotate := func(item *krm.Item) {
		text := strings.Join(lists[item], ",")
		switch old, has := item.Annotation(contract.EndpointsKey); {
		case text == "" && has:
			item.Unannotate(contract.EndpointsKey)
		case text != old:
			item.Annotate(contract.EndpointsKey, text)
		}
	}
	for _, s := range r.sandboxes {
		annotate(s.Item)
	}
	for _, group := range r.groups {
		annotate(group.Item)
	}
}

// sandboxEndpoints lists the endpoints of a sandbox: those of its default route group, and the two deprecated kinds.
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
		r.endpoint(s.Item, at, o, e.Name, newTarget(url.URL{Scheme: cmp.Or(e.Protocol, "http"), Host: hostPort(e.Host, e.Port)}))
	}
	for i := range s.Spec.Forks {
		r.forkEndpoints(s, i, o)
	}
}

func (r *routing) forkEndpoints(s *input, fork int, o keyOwner) {
	for i, e := range s.Spec.Forks[fork].Endpoints {
		at := forkPath(fork).Key("endpoints").Index(i)
		t := &target{url: url.URL{Scheme: cmp.Or(e.Protocol, "http")}, port: e.Port}
		if !t.leadTo(s.services, s.Spec.Forks[fork].ForkOf) {
			r.report(s.Item, at.Key("port"), krm.Error,
				"port must be one that a Service of the workload leads to, not %d: add the Service to the list", e.Port)
			continue
		}
		r.endpoint(s.Item, at, o, e.Name, t)
	}
}

// groupEndpoints lists the endpoints of a route group, except those in another cluster.
func (r *routing) groupEndpoints(g *routedGroup) {
	o := g.keyOwner()
	for i, e := range g.Spec.Endpoints {
		if e.Cluster != "" && r.Cluster != "" && e.Cluster != r.Cluster {
			continue
		}
		at := krm.Path("spec.endpoints").Index(i)
		if t := r.target(g.Item, at, e.Target, g.services, "in the list that a Service there selects"); t != nil {
			r.endpoint(g.Item, at, o, e.Name, t)
		}
	}
}

// target parses the target of an endpoint. A workload is replaced with one of its Services. If it has none, target
// returns nil and reports an error; which describes the workloads in the message.
func (r *routing) target(item *krm.Item, at krm.Path, text string, services []routedService, which string) *target {
	parsed, err := url.Parse(text)
	if err != nil {
		return nil // reported by the rule endpoint-target
	}
	t := newTarget(*parsed)
	if w, ok := v1alpha1.TargetWorkload(text); ok && !t.leadTo(services, w) {
		r.report(item, at.Key("target"), krm.Error, "target must be a port of a workload %s, not %q: name the Service, as in %q",
			which, text, "http://web.shop.svc:8080")
		return nil
	}
	return t
}

// endpoint lists an endpoint, and publishes it at the Gateway, if one is configured.
func (r *routing) endpoint(item *krm.Item, at krm.Path, o keyOwner, name string, t *target) {
	e := endpoint{item: item, at: at, name: name, key: o.key}
	switch {
	case r.Gateway == "" || r.Routing == none:
	case t.service == "" || t.url.Scheme == "https":
		r.report(item, at, krm.Info, "endpoint %q must lead to a Service that speaks without TLS to be published at the Gateway, "+
			"not to %q: requests to it must carry the key themselves", name, t.url.String())
	default:
		r.publish(o, name, t)
		e.keyed = true
	}
	e.url = t.url.String()
	r.endpoints = append(r.endpoints, e)
}

// maxHostLabel is the longest label of a host name, in bytes (RFC 1035).
const maxHostLabel = 63

// publish gives an endpoint a host name at the Gateway. If the key leads to a fork of the Service, the Gateway itself
// sends requests there: not every mesh applies the routes of a Service to requests from its Gateway.
func (r *routing) publish(o keyOwner, name string, t *target) {
	if h := r.hosts[types.NamespacedName{Namespace: t.namespace, Name: t.service}]; h != nil {
		if rule, forked := h.rules[o.key]; forked {
			t.service = rule.fork
		}
	}
	label := contract.FileName(name) + "--" + o.key
	if len(label) > maxHostLabel {
		label = contract.ObjectName(contract.Hash("endpoint", o.key, name), name)
	}
	t.url.Scheme, t.url.Host = cmp.Or(r.GatewayScheme, "http"), label+"."+r.GatewayDomain
	object := contract.ObjectName(contract.Hash("endpoint-route", o.key, name), o.name, name)
	if r.Routing == istio {
		r.istioEndpoint(o, object, t)
	} else {
		r.gatewayEndpoint(o, object, t)
	}
}
