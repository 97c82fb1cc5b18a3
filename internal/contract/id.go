package contract

import (
	"crypto/sha256"
	"fmt"
)

// idLength is the length of a derived sandbox id.
const idLength = 13

// maxID is the longest sandbox id that scripts must expect, in bytes (ResourcePlugin spec).
const maxID = 32

// DeriveSandboxID derives the id of a sandbox from its cluster and its lower-cased name: 13 lower-case base32
// characters, the first a letter. Scripts use it in names of external databases, so it is the same in both phases.
func DeriveSandboxID(cluster, lowerName string) string {
	return idOf(sha256.Sum256([]byte(cluster + "\x00" + lowerName)))
}

// DeriveRoutingKey derives the routing key of a sandbox or a route group: 13 lower-case base32 characters, the first a
// letter, like a sandbox's id, but a different text. kind is the document's kind, so that a sandbox and a route group
// of one name differ; cluster is empty for a route group that spans clusters.
func DeriveRoutingKey(kind, cluster, lowerName string) string {
	return idOf(sha256.Sum256([]byte("routing-key\x00" + kind + "\x00" + cluster + "\x00" + lowerName)))
}

func idOf(sum [sha256.Size]byte) string {
	return string('a'+sum[0]%26) + alphabet.EncodeToString(sum[1:])[:idLength-1]
}

// CheckSandboxID checks an id that a user sets in place of the derived one. It must be safe as a part of a DNS name.
func CheckSandboxID(id string) error { return checkID("sandbox id", id) }

// CheckRoutingKey checks a key that a user sets in place of the derived one. It has the form of a sandbox id, which
// needs no escaping in headers, regular expressions, lists of W3C Baggage and host names.
func CheckRoutingKey(key string) error { return checkID("routing key", key) }

// checkID checks the form of an id. Messages start with what, the name of the value.
func checkID(what, id string) error {
	if len(id) > maxID {
		return fmt.Errorf("%s must have at most %d bytes, not %d", what, maxID, len(id))
	}
	valid := id != "" && id[0] >= 'a' && id[len(id)-1] != '-'
	for i := range len(id) {
		c := id[i]
		valid = valid && (c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z')
	}
	if !valid {
		return fmt.Errorf("%s %q must hold lower-case letters, digits and dashes, begin with a letter and end in "+
			"a letter or a digit", what, id)
	}
	return nil
}
