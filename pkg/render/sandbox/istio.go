package sandbox

import (
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var virtualService = metav1.TypeMeta{APIVersion: "networking.istio.io/v1", Kind: "VirtualService"}

// virtualServiceSpec is the part of Istio's VirtualService that we use. The module istio.io/api is too large: its types
// need gRPC and protocol buffers.
type virtualServiceSpec struct {
	Gateways []string     `json:"gateways,omitempty"`
	Hosts    []string     `json:"hosts"`
	HTTP     []istioRoute `json:"http"`
}

type istioRoute struct {
	Name    string             `json:"name,omitempty"`
	Match   []istioMatch       `json:"match,omitempty"`
	Headers *istioHeaders      `json:"headers,omitempty"`
	Route   []istioDestination `json:"route"`
}

type istioMatch struct {
	Headers map[string]istioString `json:"headers,omitempty"`
	Port    int                    `json:"port"`
}

type istioString struct {
	Exact string `json:"exact,omitempty"`
	Regex string `json:"regex,omitempty"`
}

type istioHeaders struct {
	Request struct {
		Set map[string]string `json:"set"`
	} `json:"request"`
}

type istioDestination struct {
	Destination struct {
		Host string `json:"host"`
		Port struct {
			Number int `json:"number"`
		} `json:"port"`
	} `json:"destination"`
}

// Limits of one VirtualService, in bytes of JSON.
const (
	// maxApplied is the size that `kubectl apply` without --server-side can store in an annotation
	// (TotalAnnotationSizeLimitB of k8s.io/apimachinery).
	maxApplied = 262_144
	// maxObject is the limit of etcd (--max-request-bytes is 1.5 MiB), less room for the API server's additions.
	maxObject = 1_500_000
)

// virtualService adds the one VirtualService of a baseline Service. Its routes are tried in order: the keys' first, by
// key, then those that send all other requests to the baseline, for each port that supports streams. Short host names
// are in the VirtualService's own namespace.
func (r *routing) virtualService(h *host) {
	var all []istioRoute
	rules := h.sortedRules()
	for i := range h.ports {
		if port := &h.ports[i]; port.routable() {
			for _, rule := range rules {
				all = append(all, r.keyed(rule, port.number))
			}
		}
	}
	if len(all) == 0 {
		return
	}
	for i := range h.ports {
		if port := &h.ports[i]; port.stream() {
			all = append(all, istioRoute{
				Name:  "baseline-" + strconv.Itoa(port.number),
				Match: []istioMatch{{Port: port.number}},
				Route: destination(h.Name, port.number),
			})
		}
	}
	name := contract.ObjectName(contract.Hash("virtual-service", h.Namespace, h.Name), h.Name)
	owner := keyOwner{id: rules[0].id}
	if slices.ContainsFunc(rules, func(other rule) bool { return other.id != owner.id }) {
		owner.id = ""
	}
	object := addRoute(r, virtualService, h.Namespace, name, owner, virtualServiceSpec{Hosts: []string{h.Name}, HTTP: all})
	r.reportSize(h, len(yamlprint.AppendJSON(nil, object)))
}

// keyed returns the route to a fork: any of the headers, on the port.
func (r *routing) keyed(rule rule, port int) istioRoute {
	matches := make([]istioMatch, len(r.Headers))
	for i, header := range r.Headers {
		match := istioString{Exact: rule.key}
		if isList(header) {
			match = istioString{Regex: memberPattern(rule.key)}
		}
		matches[i] = istioMatch{Headers: map[string]istioString{header: match}, Port: port}
	}
	return istioRoute{
		Name:  contract.LabelValue(rule.name) + "-" + rule.key + "-" + strconv.Itoa(port),
		Match: matches,
		Route: destination(rule.fork, port),
	}
}

func destination(host string, port int) []istioDestination {
	var d istioDestination
	d.Destination.Host, d.Destination.Port.Number = host, port
	return []istioDestination{d}
}

func (r *routing) reportSize(h *host, size int) {
	switch {
	case size > maxObject:
		r.report(h.first.Item, h.at, krm.Error, "Service %q of namespace %q must be forked by fewer sandboxes than %d: "+
			"its VirtualService has %d bytes and the API server accepts at most %d; use routing gateway-api, which makes an object "+
			"for each sandbox",
			h.Name, h.Namespace, len(h.rules), size, maxObject)
	case size > maxApplied:
		r.report(h.first.Item, h.at, krm.Warning, "the VirtualService of Service %q of namespace %q must be applied with "+
			"--server-side: it has %d bytes, and kubectl apply keeps at most %d", h.Name, h.Namespace, size, maxApplied)
	}
}

// istioEndpoint adds the VirtualService of an endpoint's host name: it sets the key on each request.
func (r *routing) istioEndpoint(o keyOwner, name string, t *target) {
	headers := &istioHeaders{}
	headers.Request.Set = make(map[string]string, len(r.Headers))
	for _, header := range r.Headers {
		headers.Request.Set[header] = headerValue(header, o.key)
	}
	addRoute(r, virtualService, t.namespace, name, o, virtualServiceSpec{
		Gateways: []string{r.Gateway},
		Hosts:    []string{t.url.Host},
		HTTP:     []istioRoute{{Headers: headers, Route: destination(t.service, t.port)}},
	})
}
