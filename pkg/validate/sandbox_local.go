package validate

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var localMappings = Rule{
	ID: "local-mappings", Severity: krm.Error,
	Summary: "A local workload maps at least one port.",
	Why:     "No request could reach the workstation.",
	Example: "spec.local[0].mappings: []",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		for i, local := range s.Spec.Local {
			if len(local.Mappings) == 0 {
				s.Report(r, localPath(i).Key("mappings"),
					"must have at least one entry, such as {port: 8080, toLocal: %q}", "localhost:8080")
			}
		}
	})},
}

// localAddress is about local[].mappings and routing.forwards.
var localAddress = Rule{
	ID: "local-address", Severity: krm.Error,
	Summary: "A mapping's port is between 1 and 65535, and its toLocal, like that of a forward, is host:port.",
	Why:     "There is no such address to send requests to.",
	Example: `spec.local[0].mappings[0].toLocal: "8080"`,
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		for i, local := range s.Spec.Local {
			for n, mapping := range local.Mappings {
				path := localPath(i).Key("mappings").Index(n)
				s.Must(r, path.Key("port"), "port", checkPort(mapping.Port))
				s.Must(r, path.Key("toLocal"), "", checkAddress(mapping.ToLocal))
			}
		}
		if s.Spec.Routing == nil {
			return
		}
		for i, forward := range s.Spec.Routing.Forwards {
			s.Must(r, krm.Path("spec.routing.forwards").Index(i).Key("toLocal"), "", checkAddress(forward.ToLocal))
		}
	})},
}

// checkAddress checks `host:port`. The host is a name, an IPv4 address, or an IPv6 address in brackets.
func checkAddress(text string) string {
	at := strings.LastIndexByte(text, ':')
	if text == "" {
		return ""
	}
	wrong := fmt.Sprintf("must be host:port such as %q, not %q", "localhost:8080", text)
	if at <= 0 {
		return wrong
	}
	host, port := text[:at], text[at+1:]
	if strings.Contains(host, ":") && (host[0] != '[' || host[len(host)-1] != ']') || strings.ContainsAny(host, "/@ ") {
		return wrong + ": the host must be a name or an address"
	}
	if !isPort(port) {
		return wrong + ": the port must be between 1 and 65535"
	}
	return ""
}
