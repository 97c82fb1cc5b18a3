package contract

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"
)

// MaxObjectName is the longest generated name of an object, in bytes: a later namePrefix still fits into a label, into
// which Kubernetes writes a Job's name.
const MaxObjectName = 45

// hashLength is the length of the hash at a name's end: 60 bits.
const hashLength = 12

// letters are those of base32 in lower case, which names of objects and of most databases allow.
const letters = "abcdefghijklmnopqrstuvwxyz234567"

var alphabet = base32.NewEncoding(letters).WithPadding(base32.NoPadding)

// Hash returns a hash of the texts as 12 lower-case base32 characters. The boundary between two texts matters: "a-b",
// "c" and "a", "b-c" differ.
func Hash(texts ...string) string {
	var space [512]byte
	message := space[:0]
	for _, text := range texts {
		message = binary.BigEndian.AppendUint64(message, uint64(len(text)))
		message = append(message, text...)
	}
	sum := sha256.Sum256(message)
	return alphabet.EncodeToString(sum[:])[:hashLength]
}

// ObjectName returns the name of an object: the texts, for readability, and the hash of the object's identity. If the
// texts are too long together, the longest is cut first.
func ObjectName(hash string, texts ...string) string {
	parts := make([]string, 0, len(texts)+1)
	left := MaxObjectName - len(hash)
	for _, text := range texts {
		if part := clean(text, MaxObjectName); part != "" {
			parts = append(parts, part)
			left -= len(part) + 1
		}
	}
	for ; left < 0; left++ {
		longest := 0
		for i, part := range parts {
			if len(part) > len(parts[longest]) {
				longest = i
			}
		}
		parts[longest] = parts[longest][:len(parts[longest])-1]
	}
	for i, part := range parts {
		parts[i] = strings.TrimRight(part, "-")
	}
	return strings.Join(append(parts, hash), "-")
}

// OutputSecretName returns the name of the Secret with a step's outputs. It depends only on the sandbox's id, the
// resource and the step, so that the delete phase and the sandbox's workloads find it for any version.
func OutputSecretName(sandboxID, resource, step string) string {
	return ObjectName(Hash("output", sandboxID, resource, step), resource, step)
}

// ForkName returns the name of a fork of the workload that a sandbox names, and that the list has by the name baseline. Its
// Pods have it in the label ForkKey.
func ForkName(sandboxID, kind, namespace, name, baseline, sandbox string) string {
	return ObjectName(Hash("fork", sandboxID, kind, namespace, name), baseline, sandbox)
}

// clean turns text into lower-case letters, digits and single dashes: a letter first, no dash last, at most limit bytes.
func clean(text string, limit int) string {
	out := make([]byte, 0, min(limit, len(text)))
	for i := 0; i < len(text) && len(out) < limit; i++ {
		c := text[i]
		switch {
		case c >= 'A' && c <= 'Z':
			out = append(out, c-'A'+'a')
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9' && len(out) > 0:
			out = append(out, c)
		case len(out) > 0 && out[len(out)-1] != '-':
			out = append(out, '-')
		}
	}
	return strings.TrimRight(string(out), "-")
}

// IsObjectName reports whether a name ends like those of ObjectName.
func IsObjectName(name string) bool {
	at := len(name) - hashLength
	return at >= 0 && (at == 0 || name[at-1] == '-') && strings.Trim(name[at:], letters) == ""
}

// maxLabel is the longest value of a label in bytes (Kubernetes).
const maxLabel = 63

// LabelValue returns text as the value of a label. An invalid text becomes its sanitised text and a hash; the
// annotation with the same key has the original text.
func LabelValue(text string) string {
	if validLabel(text) {
		return text
	}
	return ObjectName(Hash("label", text), text)
}

// FileName returns text as the name of a file or folder without an extension. Names that differ only in case stay
// distinct on case-insensitive file systems.
func FileName(text string) string {
	if text != "" && clean(text, maxLabel) == text {
		return text
	}
	return ObjectName(Hash("file", text), text)
}

func validLabel(text string) bool {
	if len(text) > maxLabel {
		return false
	}
	for i := range len(text) {
		c := text[i]
		inner := i > 0 && i < len(text)-1 && (c == '-' || c == '_' || c == '.')
		if !inner && !isAlphanumeric(c) {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
