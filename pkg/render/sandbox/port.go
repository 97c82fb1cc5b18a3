package sandbox

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// port is a port of a Service in front of a workload.
type port struct {
	name   string
	number int
	// target is the number of the container's port; 0 if it is not known.
	target int
	// protocol is TCP (also when empty), UDP or SCTP. appProtocol is the Service's appProtocol.
	protocol, appProtocol string
}

// ports returns the ports of a Service in front of the workload, in their order.
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

// containerPort returns the number of a container's port by its name, 0 if there is none.
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

// speaks returns the application protocol of a port as far as the Service says it: its appProtocol, or what its name
// begins with, as meshes read names (`grpc-web` and `http-admin` are protocols `grpc-web` and `http`). Empty means that
// nothing is said, which is taken for HTTP: meshes look at the first bytes.
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
