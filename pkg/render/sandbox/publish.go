package sandbox

import "github.com/resource-plugins/krm-functions/internal/contract"

// published is an endpoint at a Gateway.
type published struct {
	name, hostname     string
	namespace, service string
	port               int
}

// publish gives an endpoint its host name. Where the key leads to a fork of the Service the Gateway sends requests there
// itself: not every mesh has its Gateway look at the routes of a Service.
func (r *routing) publish(o keyOwner, name string, t *target) *published {
	p := &published{name: name, namespace: t.namespace, service: t.service, port: t.port}
	if h := r.table.hosts[hostKey{t.namespace, t.service}]; h != nil {
		if rule, forked := h.rules[o.key]; forked {
			p.service = rule.fork
		}
	}
	label := contract.FileName(name) + "--" + o.key
	if len(label) > maxHostLabel {
		label = contract.ObjectName(contract.Hash("endpoint", o.key, name), name)
	}
	p.hostname = label + "." + r.gateway.domain
	return p
}

// maxHostLabel is the longest label of a host name, in bytes (RFC 1035).
const maxHostLabel = 63

func (p *published) objectName(o keyOwner) string {
	return contract.ObjectName(contract.Hash("endpoint-route", o.key, p.name), o.name, p.name)
}

func (p *published) url(scheme string, t *target) string {
	u := t.url
	if u.Scheme, u.Host = scheme, p.hostname; scheme == "" {
		u.Scheme = "http"
	}
	return u.String()
}
