package document

import (
	"fmt"
	"net/netip"
	"path"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
)

// The checks of names, keys and paths return the problem of a text as a message with "must", or "" if it is valid. An
// empty text is valid: whether it is required is a separate rule.

// MaxIdentifier is the longest name of a step, an input or an output (ResourcePlugin CRD), and of a sandbox (Sandbox spec,
// name), in bytes.
const MaxIdentifier = 30

// CheckIdentifier checks `^[a-zA-Z]([a-zA-Z0-9-]*[a-zA-Z0-9])?$` with at most MaxIdentifier bytes.
func CheckIdentifier(text string) string {
	switch {
	case text == "":
		return ""
	case len(text) > MaxIdentifier:
		return fmt.Sprintf("must have at most %d characters, not %d: shorten %q", MaxIdentifier, len(text), text)
	case !isLetter(rune(text[0])):
		return fmt.Sprintf("must start with a letter, not as %q does", text)
	case strings.IndexFunc(text, func(r rune) bool { return !IsAlphanumeric(r) && r != '-' }) >= 0:
		wrong := fmt.Sprintf("must hold letters, digits and dashes only, not as %q does", text)
		if dashed := strings.ReplaceAll(text, "_", "-"); dashed != text && CheckIdentifier(dashed) == "" {
			wrong += fmt.Sprintf(": write %q", dashed)
		}
		return wrong
	case text[len(text)-1] == '-':
		return fmt.Sprintf("must end in a letter or a digit, not as %q does", text)
	}
	return ""
}

// IsAlphanumeric reports whether a character is an ASCII letter or digit.
func IsAlphanumeric(r rune) bool { return isLetter(r) || r >= '0' && r <= '9' }

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// CheckLabel checks a DNS label, such as a namespace (RFC 1123).
func CheckLabel(text string) string {
	return checkName(text, validation.DNS1123LabelMaxLength, validation.IsDNS1123Label,
		"must hold lower-case letters, digits and inner dashes only, not as %q does")
}

// CheckSubdomain checks DNS labels joined by dots, such as a workload's name (RFC 1123).
func CheckSubdomain(text string) string {
	return checkName(text, validation.DNS1123SubdomainMaxLength, validation.IsDNS1123Subdomain,
		"must hold lower-case letters, digits, inner dashes and dots only, not as %q does")
}

// CheckKey checks a key of a ConfigMap or a Secret.
func CheckKey(text string) string {
	if text == "." || strings.HasPrefix(text, "..") {
		return fmt.Sprintf("must not be %q", text)
	}
	return checkName(text, validation.DNS1123SubdomainMaxLength, validation.IsConfigMapKey,
		"must hold letters, digits, dashes, underscores and dots only, not as %q does")
}

// checkName checks a text with a function of apimachinery, whose own messages are long and contain regular expressions.
func checkName(text string, longest int, check func(string) []string, format string) string {
	switch {
	case text == "":
		return ""
	case len(text) > longest:
		return fmt.Sprintf("must have at most %d characters, not %d", longest, len(text))
	case len(check(text)) > 0:
		return fmt.Sprintf(format, text)
	}
	return ""
}

// CheckVariable checks the name of an environment variable.
func CheckVariable(name string) string {
	switch {
	case name == "" || len(validation.IsEnvVarName(name)) == 0:
		return ""
	case name == "." || strings.HasPrefix(name, ".."):
		return fmt.Sprintf("variable must not be %q", name)
	case name[0] >= '0' && name[0] <= '9':
		return fmt.Sprintf("variable must not start with a digit as %q does", name)
	}
	return fmt.Sprintf("variable must hold letters, digits, underscores, dashes and dots only, not as %q does", name)
}

// CheckHost checks the host of an address: an IP address or a DNS name, in any case (RFC 1123) and with a dot at its
// end if it is absolute (RFC 1034).
func CheckHost(text string) string {
	if address, err := netip.ParseAddr(text); text == "" || err == nil && address.Zone() == "" {
		return ""
	}
	if strings.ContainsAny(text, "/:@?#[]%") {
		return fmt.Sprintf("must be a DNS name or an IP address such as %q, not %q: leave out scheme, port and path",
			"web.shop.svc", text)
	}
	name := strings.TrimSuffix(text, ".")
	if len(name) > validation.DNS1123SubdomainMaxLength {
		return fmt.Sprintf("must have at most %d characters, not %d", validation.DNS1123SubdomainMaxLength, len(name))
	}
	for label := range strings.SplitSeq(name, ".") {
		if len(label) > validation.DNS1123LabelMaxLength {
			return fmt.Sprintf("must have at most %d characters between dots, not %d", validation.DNS1123LabelMaxLength, len(label))
		}
		isASCII := !strings.ContainsFunc(label, func(r rune) bool { return r >= utf8.RuneSelf })
		if !isASCII || len(validation.IsDNS1123Label(strings.ToLower(label))) > 0 {
			return fmt.Sprintf("must be a DNS name, of letters, digits and inner dashes between dots, or an IP address, not %q", text)
		}
	}
	return ""
}

// CheckFile checks an absolute path of a file in a container.
func CheckFile(text string) string {
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
