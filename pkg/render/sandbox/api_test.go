package sandbox

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// proxy follows the rendered routes for a request to a port of a Service in namespace shop. It returns the Service that
// receives the request, an empty string if the request is rejected, or free if no route applies.
type proxy func(service string, port int, header http.Header) string

const routeFree = "(no route)"

// parsedHTTPRoute has the fields of an HTTPRoute that affect routing.
type parsedHTTPRoute struct {
	Metadata struct{ Name string }
	Spec     struct {
		ParentRefs []struct {
			Kind, Name string
			Port       int
		}
		Rules []struct {
			Matches []struct {
				Headers []struct{ Name, Type, Value string }
			}
			BackendRefs []struct {
				Name string
				Port int
			}
		}
	}
}

// gatewayProxy follows the comments of HTTPRouteRule.Matches in sigs.k8s.io/gateway-api/apis/v1: of all routes of a parent,
// the match with the most headers takes precedence, then the oldest route, the first by name, and the first rule. Objects
// are given by age. With whole, regular expressions must match the whole value: the specification leaves that to
// implementations.
func gatewayProxy(tb testing.TB, objects []route, whole bool) proxy {
	tb.Helper()
	routes := make([]parsedHTTPRoute, len(objects))
	for i := range objects {
		require.NoError(tb, yaml.Unmarshal(yamlprint.AppendYAML(nil, objects[i].Manifest), &routes[i]))
	}
	return func(service string, port int, header http.Header) string {
		best, target, attached := -1, "", false
		for i := range routes {
			parent := routes[i].Spec.ParentRefs[0]
			if parent.Kind != "Service" || parent.Name != service || parent.Port != port {
				continue
			}
			attached = true
			for _, rule := range routes[i].Spec.Rules {
				if len(rule.Matches) == 0 && best < 0 {
					best, target = 0, rule.BackendRefs[0].Name
				}
				for _, match := range rule.Matches {
					all := true
					for _, h := range match.Headers {
						all = all && matches(tb, h.Type, h.Value, h.Name, header, whole)
					}
					if all && len(match.Headers) > best {
						best, target = len(match.Headers), rule.BackendRefs[0].Name
					}
				}
			}
		}
		if !attached {
			return routeFree
		}
		return target
	}
}

// parsedVirtualService has the fields of a VirtualService that affect routing.
type parsedVirtualService struct {
	Spec struct {
		Hosts []string
		HTTP  []struct {
			Match []struct {
				Port    int
				Headers map[string]struct{ Exact, Regex string }
			}
			Route []struct {
				Destination struct{ Host string }
			}
		} `json:"http"`
	}
}

// istioProxy follows the comments of VirtualService in istio.io/api: the first route with a match of which all conditions
// hold; regular expressions match the whole value. Of two VirtualServices for a host, one would be ignored.
func istioProxy(tb testing.TB, objects []route) proxy {
	tb.Helper()
	hosts := map[string]parsedVirtualService{}
	for i := range objects {
		var v parsedVirtualService
		require.NoError(tb, yaml.Unmarshal(yamlprint.AppendYAML(nil, objects[i].Manifest), &v))
		require.Len(tb, v.Spec.Hosts, 1)
		require.NotContains(tb, hosts, v.Spec.Hosts[0])
		hosts[v.Spec.Hosts[0]] = v
	}
	return func(service string, port int, header http.Header) string {
		v, found := hosts[service]
		if !found {
			return routeFree
		}
		for _, r := range v.Spec.HTTP {
			for _, match := range r.Match {
				all := match.Port == port
				for name, h := range match.Headers {
					all = all && (h.Exact != "" && matches(tb, "Exact", h.Exact, name, header, true) ||
						h.Regex != "" && matches(tb, "RegularExpression", h.Regex, name, header, true))
				}
				if all {
					return r.Route[0].Destination.Host
				}
			}
		}
		return ""
	}
}

// matches evaluates a header match. Several headers with one name count as a list (RFC 9110).
func matches(tb testing.TB, kind, value, name string, header http.Header, whole bool) bool {
	tb.Helper()
	values := header.Values(name)
	if len(values) == 0 {
		return false
	}
	got := strings.Join(values, ",")
	switch kind {
	case "Exact":
		return got == value
	case "RegularExpression":
		pattern := compiled(tb, value)
		if !whole {
			return pattern.MatchString(got)
		}
		at := pattern.FindStringIndex(got)
		return at != nil && slices.Equal(at, []int{0, len(got)})
	}
	tb.Fatalf("match type %q", kind)
	return false
}

func compiled(tb testing.TB, pattern string) *regexp.Regexp {
	tb.Helper()
	compiled, err := regexp.Compile(pattern)
	require.NoError(tb, err)
	return compiled
}
