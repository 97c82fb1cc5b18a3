package form

import (
	"fmt"
	"net/netip"
	"strings"
)

// Label checks a DNS label, such as a namespace: at most 63 characters (RFC 1123).
func Label(text string) string {
	switch {
	case text == "":
		return ""
	case len(text) > 63:
		return fmt.Sprintf("must have at most 63 characters, not %d", len(text))
	case !dnsLabel(text):
		return fmt.Sprintf("must hold lower-case letters, digits and inner dashes only, not as %q does", text)
	}
	return ""
}

// Subdomain checks DNS labels joined by dots, such as a workload's name: at most 253 characters (RFC 1123).
func Subdomain(text string) string {
	if text == "" {
		return ""
	}
	if len(text) > 253 {
		return fmt.Sprintf("must have at most 253 characters, not %d", len(text))
	}
	for label := range strings.SplitSeq(text, ".") {
		if !dnsLabel(label) {
			return fmt.Sprintf("must hold lower-case letters, digits, inner dashes and dots only, not as %q does", text)
		}
	}
	return ""
}

func dnsLabel(text string) bool {
	if text == "" || text[0] == '-' || text[len(text)-1] == '-' {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Host checks what one can connect to: an IP address or a name in DNS, in any case (RFC 1123) and with a dot at its end
// where it is absolute (RFC 1034).
func Host(text string) string {
	if address, err := netip.ParseAddr(text); text == "" || err == nil && address.Zone() == "" {
		return ""
	}
	if strings.ContainsAny(text, "/:@?#[]%") {
		return fmt.Sprintf("must be a DNS name or an IP address such as %q, not %q: leave out scheme, port and path",
			"web.shop.svc", text)
	}
	name := strings.TrimSuffix(text, ".")
	if len(name) > 253 {
		return fmt.Sprintf("must have at most 253 characters, not %d", len(name))
	}
	for label := range strings.SplitSeq(name, ".") {
		if len(label) > 63 {
			return fmt.Sprintf("must have at most 63 characters between dots, not %d", len(label))
		}
		if !hostLabel(label) {
			return fmt.Sprintf("must be a DNS name, of letters, digits and inner dashes between dots, or an IP address, not %q", text)
		}
	}
	return ""
}

func hostLabel(text string) bool {
	odd := func(r rune) bool { return !Alphanumeric(r) && r != '-' }
	return text != "" && text[0] != '-' && text[len(text)-1] != '-' && strings.IndexFunc(text, odd) < 0
}
