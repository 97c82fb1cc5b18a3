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

	first *input // for findings about all of them
	at    krm.Path
	ports []port
	rules map[string]rule // by key
	order []rule          // by key, once the table is complete
}

// rule sends the requests that carry a key to a fork.
type rule struct {
	keyOwner

	fork string
	// sandbox is whose fork it is; of a route group's rule another name than the owner's.
	sandbox string
}

// keyOwner is the sandbox or route group that a routing key belongs to.
type keyOwner struct{ kind, name, key, ttl string }

func (o keyOwner) label() string {
	if o.kind == contract.RouteGroup {
		return contract.RouteGroupKey
	}
	return contract.SandboxKey
}

func (s *input) keyOwner() keyOwner { return keyOwner{contract.Sandbox, s.Name, s.key, s.ttl()} }
func (g *routedGroup) keyOwner() keyOwner {
	return keyOwner{contract.RouteGroup, g.Name, g.key, g.ttl()}
}

// add adds a rule for the service. If the key already leads to another fork it adds nothing and returns the rule that is
// there.
func (t *table) add(o keyOwner, s *input, service *routedService) (rule, bool) {
	key := hostKey{service.namespace, service.baseline}
	h := t.hosts[key]
	if h == nil {
		h = &host{hostKey: key, first: s, at: s.forkPath(service), ports: service.ports, rules: map[string]rule{}}
		t.hosts[key] = h
		t.order = append(t.order, h)
	}
	if other, found := h.rules[o.key]; found {
		return other, other.fork == service.fork
	}
	r := rule{o, service.fork, s.Name}
	h.rules[o.key] = r
	h.order = append(h.order, r)
	return r, true
}

func (t *table) sort() {
	slices.SortFunc(t.order, func(a, b *host) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	for _, h := range t.order {
		slices.SortFunc(h.order, func(a, b rule) int { return cmp.Compare(a.key, b.key) })
	}
}
