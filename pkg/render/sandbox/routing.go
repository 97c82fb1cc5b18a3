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

// routing creates the routes by which requests reach the forks of sandboxes. A request with the routing key of a
// sandbox, or of a route group that matches the sandbox, goes to the sandbox's fork of its service; all other requests
// go to the baseline, as they would without routes.
//
// The sandboxes and route groups make a table: for each baseline Service its forks, each under one key. It becomes
// HTTPRoutes of the Gateway API, one for each key and port, so that sandboxes that are rendered separately do not
// change each other's routes; or VirtualServices of Istio, one for each Service, since two for one host are not merged.
type routing struct {
	*Options // Cluster is the rendered one, or empty if it is not known

	hosts  map[types.NamespacedName]*host
	owners map[string]keyOwner // by key

	// objects are the Services' routes by namespace, baseline Service, port and key, independent of the order of
	// documents; then those of the endpoints, in the order of endpoints.
	objects []route
	// endpoints are in the order of the documents and of their fields.
	endpoints []endpoint
	// results are in the order of the documents. If one is an error, the objects must not be used.
	results krm.Results
}

// host is a baseline Service with the rules of its forks.
type host struct {
	types.NamespacedName

	first *input // for findings about the Service
	at    krm.Path
	ports []port
	rules map[string]rule // by key
}

// rule sends requests with a key to a fork.
type rule struct {
	keyOwner

	fork string
	// sandbox is the fork's sandbox; for a rule of a route group it is not the owner.
	sandbox string
}

func (h *host) sortedRules() []rule {
	return slices.SortedFunc(maps.Values(h.rules), func(a, b rule) int { return cmp.Compare(a.key, b.key) })
}

// renderRoutes creates the routes. The routing keys must be set; all Services of a namespace must be in one cluster.
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

// claim records the owner of a key. A key with two owners would send the requests of one to the forks of the other.
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

// addGroup adds the forks of all matched sandboxes under the group's key. Two forks of one Service would make the
// target of a request ambiguous, which the RouteGroup documentation excludes.
func (r *routing) addGroup(g *routedGroup, m *matcher) {
	o := g.keyOwner()
	if !r.claim(g.Item, o) {
		return
	}
	reported := map[types.NamespacedName]bool{} // each Service once, however many sandboxes fork it
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

// add adds a rule for the service. If the key already leads to another fork, it adds nothing and returns the existing
// rule.
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

// forkPath is the path of the sandbox's fork with the service.
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
