package naming

import (
	"crypto/sha256"
	"fmt"
)

// idLength is the length of a derived sandbox id.
const idLength = 13

// maxID is the longest sandbox id that scripts must expect, in bytes (ResourcePlugin spec).
const maxID = 32

// SandboxID derives the id of a sandbox from its cluster and its lower-cased name: 13 lower-case base32 characters, the
// first a letter. Scripts name external databases after it, so it is the same in both phases.
func SandboxID(cluster, lowerName string) string {
	sum := sha256.Sum256([]byte(cluster + "\x00" + lowerName))
	return string('a'+sum[0]%26) + alphabet.EncodeToString(sum[1:])[:idLength-1]
}

// CheckSandboxID checks an id that a user gives in place of the derived one. It must be safe as a part of a DNS name.
func CheckSandboxID(id string) error {
	if len(id) > maxID {
		return fmt.Errorf("sandbox id must have at most %d bytes, not %d", maxID, len(id))
	}
	valid := id != "" && id[0] >= 'a' && id[len(id)-1] != '-'
	for i := range len(id) {
		c := id[i]
		valid = valid && (c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z')
	}
	if !valid {
		return fmt.Errorf("sandbox id %q must hold lower-case letters, digits and dashes, begin with a letter and end in "+
			"a letter or a digit", id)
	}
	return nil
}
