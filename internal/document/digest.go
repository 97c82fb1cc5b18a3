package document

import (
	"crypto/sha256"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// Digest returns the digest of a plugin document, which is the identity of a plugin's version: strictyaml.Digest of its bare
// name, its canonical version ("1.0.0" for `@v1.0`, "0.0.0" where the document names none) and its spec with the templates
// filled in.
func Digest(name PluginName, spec *yaml.Node) (string, *strictyaml.Problem) {
	return strictyaml.Digest(name.Bare, name.Version.String(), spec)
}

// IsDigest reports whether text has the form of a digest.
func IsDigest(text string) bool {
	digits, ok := strings.CutPrefix(text, strictyaml.DigestPrefix)
	return ok && len(digits) == 2*sha256.Size && strings.Trim(digits, "0123456789abcdef") == ""
}
