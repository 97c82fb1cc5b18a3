package sandbox

import (
	"cmp"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// table says for each baseline Service which key leads to which fork.
type table struct {
	hosts map[hostKey]*host
	order []*host
}

type hostKey struct{ namespace, name string }

// host is a baseline Service with the rules of its forks.
type host struct {
	hostKey
	first *RoutedSandbox // for findings about all of them
	at    krm.Path
	ports []RoutedPort
	rules map[string]rule // by key
	order []rule          // by key, once the table is complete
}

// rule sends the requests that carry a key to a fork.
type rule struct {
	owner

	fork string
	// sandbox is whose fork it is; of a route group's rule another name than the owner's.
	sandbox string
}

// owner is the sandbox or route group that a routing key belongs to.
type owner struct{ kind, name, key string }

func (o owner) label() string {
	if o.kind == contract.RouteGroup {
		return contract.RouteGroupKey
	}
	return contract.SandboxKey
}

func ownerOf(s *RoutedSandbox) owner  { return owner{contract.Sandbox, s.Name, s.Key} }
func groupOwner(g *RoutedGroup) owner { return owner{contract.RouteGroup, g.Name, g.Key} }
func hostOf(s *RoutedService) hostKey { return hostKey{s.Namespace, s.Baseline} }
func compareRules(a, b rule) int      { return cmp.Compare(a.key, b.key) }
func compareHosts(a, b *host) int {
	return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
}

// add enters a rule for the service. Where the key already leads to another fork it enters nothing and returns the rule
// that is there.
func (t *table) add(o owner, s *RoutedSandbox, service *RoutedService) (rule, bool) {
	h := t.hosts[hostOf(service)]
	if h == nil {
		h = &host{
			hostKey: hostOf(service), first: s, at: forkPath(s, service), ports: service.Ports, rules: map[string]rule{},
		}
		t.hosts[h.hostKey] = h
		t.order = append(t.order, h)
	}
	if other, found := h.rules[o.key]; found {
		return other, other.fork == service.Fork
	}
	r := rule{o, service.Fork, s.Name}
	h.rules[o.key] = r
	h.order = append(h.order, r)
	return r, true
}

func (t *table) sort() {
	slices.SortFunc(t.order, compareHosts)
	for _, h := range t.order {
		slices.SortFunc(h.order, compareRules)
	}
}
