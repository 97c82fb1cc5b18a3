package sandbox

import (
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// speaks returns the application protocol of a port as far as the Service tells it: its appProtocol, or what its name
// begins with, as meshes read names (`grpc-web` and `http-admin` are protocols `grpc-web` and `http`). Empty means that
// nothing is said, which is taken for HTTP: meshes look at the first bytes.
func (p *RoutedPort) speaks() string {
	if p.AppProtocol != "" {
		return strings.ToLower(p.AppProtocol)
	}
	switch protocol, _, _ := strings.Cut(strings.ToLower(p.Name), "-"); protocol {
	case "http", "http2", "grpc", "https", "tls", "tcp", "udp", "mongo", "mysql", "redis":
		return protocol
	}
	return ""
}

// routable tells whether requests on the port have headers that a proxy can read.
func (p *RoutedPort) routable() bool {
	switch p.speaks() {
	case "", "http", "http2", "grpc", "grpc-web", "kubernetes.io/h2c", "kubernetes.io/ws":
		return p.stream()
	}
	return false
}

func (p *RoutedPort) stream() bool { return p.Protocol == "" || p.Protocol == "TCP" }

func (r *rendering) reportPorts(s *RoutedSandbox, service *RoutedService) {
	for i := range service.Ports {
		port := &service.Ports[i]
		if port.routable() || r.Mode == None {
			continue
		}
		what := port.speaks()
		if !port.stream() {
			what = port.Protocol
		}
		r.report(s.Item, forkPath(s, service), krm.Info,
			"requests to port %d of Service %q must carry headers that a proxy can read, which %q does not: all of them go to "+
				"the baseline", port.Number, service.Baseline, what)
	}
}
