package sandbox

import (
	"net/url"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// target is the destination of an endpoint: a URL, and the Service and port of its host if it is in the cluster.
type target struct {
	url                url.URL
	namespace, service string
	port               int
}

// newTarget parses the destination of a URL. A host NAME.NS.svc, with or without the cluster's domain, is a Service.
func newTarget(u url.URL) *target {
	t := &target{url: u, port: portOf(&u)}
	labels := strings.SplitN(strings.ToLower(u.Hostname()), ".", 4)
	if len(labels) > 2 && labels[2] == "svc" && isLabel(labels[0]) && isLabel(labels[1]) {
		t.service, t.namespace = labels[0], labels[1]
	}
	return t
}

// isLabel reports whether text is valid as the name of a Service or a namespace.
func isLabel(text string) bool { return len(validation.IsDNS1123Label(text)) == 0 }

// portOf returns the port of a URL, by default that of its scheme.
func portOf(u *url.URL) int {
	if port, err := strconv.Atoi(u.Port()); err == nil {
		return port
	}
	if u.Scheme == "https" {
		return 443
	}
	return 80
}

// hostPort joins a host and a port like net.JoinHostPort, which functions must not import.
func hostPort(host string, port int) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(port)
}

// leadTo replaces a target of a workload's port with one of the first of its Services that leads there.
func (t *target) leadTo(services []routedService, w v1alpha1.Workload) bool {
	for i := range services {
		service := &services[i]
		if service.workload.Plain() != w.Plain() {
			continue
		}
		for j := range service.ports {
			if port := &service.ports[j]; port.reaches(t.port) {
				t.namespace, t.service, t.port = service.namespace, service.name, port.number
				t.url.Host = hostPort(t.service+"."+t.namespace+".svc", t.port)
				return true
			}
		}
	}
	return false
}

// port is a port of a workload's Service.
type port struct {
	name   string
	number int
	// target is the number of the container's port, or 0 if it is not known.
	target int
	// protocol is TCP (or empty), UDP or SCTP. appProtocol is the Service's appProtocol.
	protocol, appProtocol string
}

// ports returns the ports of a workload's Service, in their order.
func (w *workload) ports(s *service) []port {
	ports := make([]port, len(s.spec.Ports))
	for i := range s.spec.Ports {
		p := &s.spec.Ports[i]
		ports[i] = port{
			name: p.Name, number: int(p.Port), target: p.TargetPort.IntValue(), protocol: string(p.Protocol),
			appProtocol: ptr.Deref(p.AppProtocol, ""),
		}
		switch {
		case p.TargetPort == intstr.IntOrString{}:
			ports[i].target = ports[i].number
		case ports[i].target == 0:
			ports[i].target = w.containerPort(p.TargetPort.StrVal)
		}
	}
	return ports
}

// containerPort returns the number of a container's port by its name, or 0.
func (w *workload) containerPort(name string) int {
	for _, container := range children(w.object, "spec", "template", "spec", "containers") {
		for _, port := range children(container, "ports") {
			if number, ok := port["containerPort"].(int64); ok && text(port, "name") == name {
				return int(number)
			}
		}
	}
	return 0
}

// speaks returns the application protocol of a port: its appProtocol, or the prefix of its name, as meshes read names
// (`grpc-web` and `http-admin` are protocols `grpc-web` and `http`). Empty means that the Service does not name it,
// which is taken for HTTP: meshes look at the first bytes.
func (p *port) speaks() string {
	if p.appProtocol != "" {
		return strings.ToLower(p.appProtocol)
	}
	switch protocol, _, _ := strings.Cut(strings.ToLower(p.name), "-"); protocol {
	case "http", "http2", "grpc", "https", "tls", "tcp", "udp", "mongo", "mysql", "redis":
		return protocol
	}
	return ""
}

// routable reports whether requests on the port have headers that a proxy can read.
func (p *port) routable() bool {
	switch p.speaks() {
	case "", "http", "http2", "grpc", "grpc-web", "kubernetes.io/h2c", "kubernetes.io/ws":
		return p.stream()
	}
	return false
}

func (p *port) stream() bool { return p.protocol == "" || p.protocol == string(corev1.ProtocolTCP) }

// reaches reports whether the port leads to a port of a container.
func (p *port) reaches(container int) bool {
	return p.target == container || p.target == 0 && p.number == container
}

func (r *routing) reportPorts(s *input, service *routedService) {
	for i := range service.ports {
		port := &service.ports[i]
		if port.routable() || r.Routing == none {
			continue
		}
		what := port.speaks()
		if !port.stream() {
			what = port.protocol
		}
		r.report(s.Item, s.forkPath(service), krm.Info,
			"requests to port %d of Service %q must carry headers that a proxy can read, which %q does not: all of them go to "+
				"the baseline", port.number, service.name, what)
	}
}
