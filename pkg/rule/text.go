package rule

import (
	"fmt"
	"path"
	"strings"
)

// The checks of this file return what is wrong with a value, as words that begin with "must", and empty where nothing
// is. An empty text passes: where one must be given, the rule "required" says so.

// maxStepName is the longest name of a step, an input or an output (ResourcePlugin CRD), and of a sandbox (Sandbox spec,
// name).
const maxStepName = 30

// checkIdentifier checks `^[a-zA-Z]([a-zA-Z0-9-]*[a-zA-Z0-9])?$` with at most maxStepName bytes.
func checkIdentifier(text string) string {
	switch {
	case text == "":
		return ""
	case len(text) > maxStepName:
		return fmt.Sprintf("must have at most %d characters, not %d: shorten %q", maxStepName, len(text), text)
	case !letter(text[0]):
		return fmt.Sprintf("must start with a letter, not as %q does", text)
	case strings.IndexFunc(text, func(r rune) bool { return !alphanumeric(r) && r != '-' }) >= 0:
		return fmt.Sprintf("must hold letters, digits and dashes only, not as %q does", text)
	case text[len(text)-1] == '-':
		return fmt.Sprintf("must end in a letter or a digit, not as %q does", text)
	}
	return ""
}

// checkLabel checks a DNS label, such as a namespace: at most 63 characters (RFC 1123).
func checkLabel(text string) string {
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

// checkSubdomain checks DNS labels joined by dots, such as a workload's name: at most 253 characters (RFC 1123).
func checkSubdomain(text string) string {
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

// checkFile checks an absolute path of a file in a container.
func checkFile(text string) string {
	switch {
	case text == "":
		return ""
	case !strings.HasPrefix(text, "/"):
		return fmt.Sprintf("must be an absolute path, not %q: begin with a slash", text)
	case strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) >= 0:
		return fmt.Sprintf("must not hold control characters as %q does", text)
	case strings.Contains(text+"/", "/../"):
		return fmt.Sprintf("must not hold .. as %q does", text)
	case strings.HasSuffix(text, "/") || path.Clean(text) == "/" || strings.HasSuffix(text, "/."):
		return fmt.Sprintf("must name a file, not a folder such as %q", text)
	}
	return ""
}

// checkKey checks a key of a ConfigMap or a Secret (Kubernetes API validation).
func checkKey(text string) string {
	odd := func(r rune) bool { return !alphanumeric(r) && r != '-' && r != '_' && r != '.' }
	switch {
	case text == "":
		return ""
	case len(text) > 253:
		return fmt.Sprintf("must have at most 253 characters, not %d", len(text))
	case strings.IndexFunc(text, odd) >= 0:
		return fmt.Sprintf("must hold letters, digits, dashes, underscores and dots only, not as %q does", text)
	case text == "." || strings.HasPrefix(text, ".."):
		return fmt.Sprintf("must not be %q", text)
	}
	return ""
}

// checkLength checks that a text has at most 255 bytes, the limit that both specs put on what people read.
func checkLength(text string) string {
	if len(text) > 255 {
		return fmt.Sprintf("must have at most 255 bytes, not %d", len(text))
	}
	return ""
}

// checkPort checks a TCP port.
func checkPort(port int) string {
	if port < 1 || port > 65535 {
		return fmt.Sprintf("must be between 1 and 65535, not %d", port)
	}
	return ""
}

// checkAddress checks `host:port`, the host a name, an IPv4 address or an IPv6 address in brackets.
func checkAddress(text string) string {
	at := strings.LastIndexByte(text, ':')
	if text == "" {
		return ""
	}
	if at <= 0 {
		return fmt.Sprintf("must be host:port such as %q, not %q", "localhost:8080", text)
	}
	host, digits := text[:at], text[at+1:]
	if strings.Contains(host, ":") && (host[0] != '[' || host[len(host)-1] != ']') || strings.ContainsAny(host, "/@ ") {
		return fmt.Sprintf("must be host:port such as %q, not %q: the host must be a name or an address", "localhost:8080", text)
	}
	if port, ok := decimal(digits, 65535); !ok || port == 0 {
		return fmt.Sprintf("must be host:port such as %q, not %q: the port must be between 1 and 65535", "localhost:8080", text)
	}
	return ""
}

// decimal reads digits as a number up to most.
func decimal(digits string, most uint64) (number uint64, ok bool) {
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		if number = number*10 + uint64(c-'0'); number > most {
			return 0, false
		}
	}
	return number, digits != ""
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func alphanumeric(r rune) bool {
	return r < 0x80 && (letter(byte(r)) || r >= '0' && r <= '9')
}
