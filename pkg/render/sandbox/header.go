package sandbox

import (
	"regexp"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Headers returns the names of all headers that can carry a routing key. Besides the two of package contract these are
// what tracing libraries carry baggage in: W3C Trace Context, Datadog and Jaeger.
func Headers() []string {
	return []string{contract.RoutingHeader, contract.BaggageHeader, "tracestate",
		"ot-baggage-" + contract.RoutingHeader, "uberctx-" + contract.RoutingHeader}
}

// DefaultHeaders returns the headers that are matched where nothing is configured.
func DefaultHeaders() []string { return Headers()[:2] }

// isList reports whether a header holds a list of key=value members rather than the routing key alone.
func isList(header string) bool { return header == contract.BaggageHeader || header == "tracestate" }

// memberPattern is a regular expression (RE2) for lists with the key as a member: `sd-routing-key=KEY`, with blanks where
// W3C Baggage allows them, and its properties behind a semicolon. No value can hold a comma, so each one ends a member.
// The pattern spans the whole header, since Istio matches the whole and implementations of the Gateway API differ; it
// is anchored, since some of these match a part.
func memberPattern(key string) string {
	return `^(?:.*,)?[ \t]*` + contract.RoutingHeader + `[ \t]*=[ \t]*` + regexp.QuoteMeta(key) + `[ \t]*(?:[,;].*)?$`
}

// headerValue is what the header says where it carries the key alone.
func headerValue(header, key string) string {
	if isList(header) {
		return contract.RoutingHeader + "=" + key
	}
	return key
}
