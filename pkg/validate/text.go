package validate

import (
	"fmt"
	"strings"
)

// The checks of this file return what is wrong with a value, as words that begin with "must", and empty where nothing
// is. An empty text passes: where one must be given, the rule "required" says so.

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
