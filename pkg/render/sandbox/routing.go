package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// routing makes the routes by which requests find the forks of sandboxes. A request that carries the routing key of a
// sandbox, or of a route group that matches the sandbox, goes to the sandbox's fork of the service it is for; every other
// request goes to the baseline, as it would without us.
//
// From the sandboxes and route groups comes a table: for each baseline Service its forks, each under one key. It becomes
// HTTPRoutes of the Gateway API, one for each key and port, so that sandboxes rendered apart do not touch one another's; or
// VirtualServices of Istio, one for each Service, since two for one host are not merged.
type routing struct {
	*Options // Cluster is the one that is rendered; empty if it is not known

	hosts  map[types.NamespacedName]*host
	owners map[string]keyOwner // by key

	// objects are the Services' routes by namespace, baseline Service, port and key, whatever the order of the documents;
	// then those of the endpoints, in the order of endpoints.
	objects []route
	// endpoints are in the order of the documents and of their fields.
	endpoints []endpoint
	// results are in the order of the documents. With an error among them the objects must not be used.
	results krm.Results
}

// host is a baseline Service with the rules of its forks.
type host struct {
	types.NamespacedName

	first *input // for findings about all of them
	at    krm.Path
	ports []port
	rules map[string]rule // by key
}

// rule sends the requests that carry a key to a fork.
type rule struct {
	keyOwner

	fork string
	// sandbox is whose fork it is; of a route group's rule another name than the owner's.
	sandbox string
}

func (h *host) sortedRules() []rule {
	return slices.SortedFunc(maps.Values(h.rules), func(a, b rule) int { return cmp.Compare(a.key, b.key) })
}

// renderRoutes makes the routes. The routing keys must be set; all of one namespace's Services must be those of one cluster.
func renderRoutes(sandboxes []*input, groups []routedGroup, o *Options) *routing {
	r := &routing{Options: o, hosts: map[types.NamespacedName]*host{}, owners: map[string]keyOwner{}}
	for _, s := range sandboxes {
		r.addSandbox(s)
	}
	matcher := newMatcher(sandboxes)
	for i := range groups {
		r.addGroup(&groups[i], matcher)
	}
	hosts := slices.SortedFunc(maps.Values(r.hosts), func(a, b *host) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	for _, h := range hosts {
		switch r.Routing {
		case gatewayAPI:
			r.httpRoutes(h)
		case istio:
			r.virtualService(h)
		}
	}
	for _, s := range sandboxes {
		r.sandboxEndpoints(s)
	}
	for i := range groups {
		r.groupEndpoints(&groups[i])
	}
	return r
}

// claim notes whose the key is. A key of two owners would send the requests of one to the forks of the other.
func (r *routing) claim(item *krm.Item, o keyOwner) bool {
	other, taken := r.owners[o.key]
	if taken {
		r.report(item, document.RoutingKeyPath(), krm.Error,
			"routing key must not be %q, which is the key of %s %q: give another one",
			o.key, other.kind, other.name)
		return false
	}
	r.owners[o.key] = o
	return true
}

func (s *input) keyOwner() keyOwner { return keyOwner{contract.Sandbox, s.Name, s.key, s.ttl(), s.id} }
func (g *routedGroup) keyOwner() keyOwner {
	return keyOwner{contract.RouteGroup, g.Name, g.key, g.ttl(), ""}
}

func (r *routing) addSandbox(s *input) {
	o := s.keyOwner()
	if !r.claim(s.Item, o) {
		return
	}
	for i := range s.services {
		service := &s.services[i]
		if other, same := r.add(o, s, service); !same && r.Routing != none {
			r.report(s.Item, s.forkPath(service), krm.Error,
				"Service %q of namespace %q must have one fork in the sandbox, not %q and %q: fork one of the workloads it selects",
				service.name, service.namespace, other.fork, service.fork)
		}
		r.reportPorts(s, service)
	}
}

// addGroup adds the forks of all matched sandboxes under the group's key. Two of one Service would make the target of a
// request ambiguous, which the RouteGroup documentation excludes.
func (r *routing) addGroup(g *routedGroup, m *matcher) {
	o := g.keyOwner()
	if !r.claim(g.Item, o) {
		return
	}
	reported := map[types.NamespacedName]bool{} // the Services, since any two of many sandboxes may fork the same
	for _, i := range m.matched(g) {
		s := m.sandboxes[i]
		for j := range s.services {
			service := &s.services[j]
			name := types.NamespacedName{Namespace: service.namespace, Name: service.name}
			if other, same := r.add(o, s, service); !same && other.sandbox != s.Name && r.Routing != none && !reported[name] {
				reported[name] = true
				r.report(g.Item, "spec.match", krm.Error,
					"must not match sandboxes %q and %q together, which both fork Service %q of namespace %q: label them apart",
					other.sandbox, s.Name, service.name, service.namespace)
			}
		}
	}
}

// add adds a rule for the service. If the key already leads to another fork it adds nothing and returns the rule that is
// there.
func (r *routing) add(o keyOwner, s *input, service *routedService) (_ rule, same bool) {
	name := types.NamespacedName{Namespace: service.namespace, Name: service.name}
	h := r.hosts[name]
	if h == nil {
		h = &host{NamespacedName: name, first: s, at: s.forkPath(service), ports: service.ports, rules: map[string]rule{}}
		r.hosts[name] = h
	}
	if other, found := h.rules[o.key]; found {
		return other, other.fork == service.fork
	}
	o.id = s.id
	h.rules[o.key] = rule{o, service.fork, s.Name}
	return h.rules[o.key], true
}

// forkPath is the fork in the sandbox that the service is for.
func (s *input) forkPath(service *routedService) krm.Path {
	for i := range s.Spec.Forks {
		if s.Spec.Forks[i].ForkOf == service.workload {
			return forkPath(i).Key("forkOf")
		}
	}
	return "spec.forks"
}

func (r *routing) report(item *krm.Item, at krm.Path, severity krm.Severity, format string, args ...any) {
	r.results = append(r.results, krm.At(item, at, severity, fmt.Sprintf(format, args...)))
}
