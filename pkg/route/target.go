package route

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/sandbox"
)

// target is where an endpoint leads: a URL, and the Service and port of its host where it is one of the cluster.
type target struct {
	url                url.URL
	namespace, service string
	port               int
}

// parseTarget reads a URL. A host NAME.NS.svc, with or without the cluster's domain, is a Service.
func parseTarget(text string) (*target, bool) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" || parsed.User != nil {
		return nil, false
	}
	t := &target{url: *parsed, port: portOf(parsed)}
	labels := strings.SplitN(parsed.Hostname(), ".", 4)
	if len(labels) > 2 && labels[2] == "svc" && isLabel(labels[0]) && isLabel(labels[1]) {
		t.service, t.namespace = labels[0], labels[1]
	}
	return t, true
}

// isLabel tells whether text can be the name of a Service or a namespace (RFC 1123).
func isLabel(text string) bool {
	return text != "" && len(text) <= 63 && text[0] != '-' && text[len(text)-1] != '-' &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

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

// workload returns what a host of the forms NAME.NS.deploy and NAME.NS.rollout means (Sandbox spec, defaultRouteGroup).
func (t *target) workload() (is func(sandbox.Workload) bool, ok bool) {
	labels := strings.Split(t.url.Hostname(), ".")
	if len(labels) != 3 || labels[2] != "deploy" && labels[2] != "rollout" {
		return nil, false
	}
	return func(w sandbox.Workload) bool {
		return w.Name == labels[0] && w.Namespace == labels[1] && (w.Kind == "Deployment") == (labels[2] == "deploy")
	}, true
}

// onFork turns a target of a workload's port into one of the baseline Service in front of it.
func (t *target) onFork(s *Sandbox, is func(w sandbox.Workload) bool) bool {
	for i := range s.Services {
		service := &s.Services[i]
		if !is(service.Workload) {
			continue
		}
		for j := range service.Ports {
			if port := &service.Ports[j]; port.reaches(t.port) {
				t.namespace, t.service, t.port = service.Namespace, service.Baseline, port.Number
				t.url.Host = t.service + "." + t.namespace + ".svc:" + strconv.Itoa(t.port)
				return true
			}
		}
	}
	return false
}

// reaches tells whether the port of a Service leads to the container's port.
func (p *Port) reaches(container int) bool {
	return p.Target == container || p.Target == 0 && p.Number == container
}
