package sandbox

import (
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// target is where an endpoint leads: a URL, and the Service and port of its host where it is one of the cluster.
type target struct {
	url                url.URL
	namespace, service string
	port               int
}

// newTarget finds out where a URL leads. A host NAME.NS.svc, with or without the cluster's domain, is a Service.
func newTarget(u url.URL) *target {
	t := &target{url: u, port: portOf(&u)}
	labels := strings.SplitN(strings.ToLower(u.Hostname()), ".", 4)
	if len(labels) > 2 && labels[2] == "svc" && isLabel(labels[0]) && isLabel(labels[1]) {
		t.service, t.namespace = labels[0], labels[1]
	}
	return t
}

// isLabel reports whether text can be the name of a Service or a namespace.
func isLabel(text string) bool { return len(validation.IsDNS1123Label(text)) == 0 }

// portOf returns the port of a URL, that of its scheme where it gives none.
func portOf(u *url.URL) int {
	if port, err := strconv.Atoi(u.Port()); err == nil {
		return port
	}
	if u.Scheme == "https" {
		return 443
	}
	return 80
}

// hostPort joins a host and a port as net.JoinHostPort does, which functions must not import.
func hostPort(host string, port int) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(port)
}

// leadTo turns a target of a workload's port into one of the first Service in front of it that leads there.
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
