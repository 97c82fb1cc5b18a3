package contract

import "crypto/sha256"

// DeriveRoutingKey derives the key that requests to a sandbox or a route group carry: 13 lower-case base32 characters, the
// first a letter, as a sandbox's id, but another text. kind is the document's kind, so that a sandbox and a route group
// of one name differ; cluster is empty for a route group that spans clusters.
func DeriveRoutingKey(kind, cluster, lowerName string) string {
	return idOf(sha256.Sum256([]byte("routing-key\x00" + kind + "\x00" + cluster + "\x00" + lowerName)))
}

// CheckRoutingKey checks a key that a user gives in place of the derived one. Its form is that of a sandbox id: no header,
// regular expression, list of W3C Baggage or host name changes such a text.
func CheckRoutingKey(key string) error { return checkID("routing key", key) }
