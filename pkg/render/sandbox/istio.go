package sandbox

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var virtualService = metav1.TypeMeta{APIVersion: "networking.istio.io/v1", Kind: "VirtualService"}

// virtualServiceSpec is what we use of Istio's VirtualService. The module istio.io/api is not worth its weight: its types
// come with gRPC and protocol buffers.
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
	// maxApplied is what `kubectl apply` without --server-side can keep in an annotation (TotalAnnotationSizeLimitB of
	// k8s.io/apimachinery).
	maxApplied = 262_144
	// maxObject is what etcd takes (its --max-request-bytes is 1.5 MiB), with room for what the API server adds.
	maxObject = 1_500_000
)

// virtualService adds the one VirtualService of a baseline Service. Its routes are tried in order: the keys' first, by
// key, then those that send every other request to the baseline, for each port that takes streams. The short names of
// hosts are those of the VirtualService's own namespace.
func (r *routing) virtualService(h *host) {
	var all []istioRoute
	for i := range h.ports {
		if port := &h.ports[i]; port.routable() {
			for j := range h.order {
				all = append(all, r.keyed(&h.order[j], port.number))
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
				Route: destination(h.name, port.number),
			})
		}
	}
	name := contract.ObjectName(contract.Hash("virtual-service", h.namespace, h.name), h.name)
	object := addRoute(r, virtualService, h.namespace, name, keyOwner{}, virtualServiceSpec{Hosts: []string{h.name}, HTTP: all})
	r.reportSize(h, len(yamlprint.AppendJSON(nil, object)))
}

// keyed is the route to a fork: any of the headers, on the port.
func (r *routing) keyed(rule *rule, port int) istioRoute {
	matches := make([]istioMatch, len(r.headers))
	for i, header := range r.headers {
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
			"its VirtualService has %d bytes and the API server takes %d; use routing gateway-api, which makes an object "+
			"for each sandbox",
			h.name, h.namespace, len(h.order), size, maxObject)
	case size > maxApplied:
		r.report(h.first.Item, h.at, krm.Warning, "the VirtualService of Service %q of namespace %q must be applied with "+
			"--server-side: it has %d bytes, and kubectl apply keeps at most %d", h.name, h.namespace, size, maxApplied)
	}
}

// istioEndpoint adds the VirtualService of an endpoint's host name: it gives each request the key.
func (r *routing) istioEndpoint(o keyOwner, e *published) {
	headers := &istioHeaders{}
	headers.Request.Set = make(map[string]string, len(r.headers))
	for _, header := range r.headers {
		headers.Request.Set[header] = headerValue(header, o.key)
	}
	addRoute(r, virtualService, e.namespace, e.objectName(o), o, virtualServiceSpec{
		Gateways: []string{r.gateway.namespace + "/" + r.gateway.name},
		Hosts:    []string{e.hostname},
		HTTP:     []istioRoute{{Headers: headers, Route: destination(e.service, e.port)}},
	})
}
