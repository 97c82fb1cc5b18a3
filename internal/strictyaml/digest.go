package strictyaml

import (
	"crypto/sha256"
	"encoding/hex"

	"go.yaml.in/yaml/v3"
)

// Limits of a document once its aliases are expanded, besides MaxAliased. A Kubernetes object has at most
// 1.5 MiB.
const (
	MaxDigestSize  = 4 << 20 // bytes of text and nodes
	MaxDigestDepth = 1000    // mappings and lists in each other
)

// DigestPrefix names the algorithm.
const DigestPrefix = "sha256:"

// Digest returns the digest of a document with a name and a version: the identity of its content, as one line of text. Two
// documents have the same digest if and only if they publish the same content, however they are written. A nil spec is an
// absent one. A spec that has no canonical form is an error, whose path is from the document's root.
//
// A digest is "sha256:" and the 64 lower-case hexadecimal digits of the SHA-256 of the document's canonical JSON, which
// has no byte that is not described here:
//
//	{"name":NAME,"spec":SPEC,"version":VERSION}
//
// NAME is the bare name, VERSION the canonical version ("1.0.0" for `@v1.0`, "0.0.0" where the document names none),
// and SPEC the spec with its templates filled in. Nothing else counts: no metadata, no annotation, no comment. The JSON
// is that of RFC 8785:
//
//   - No white space between tokens, no newline at the end; UTF-8 without a byte order mark.
//   - An object's members are sorted by their names, compared as UTF-16 code units. Merge keys (`<<`) and aliases are
//     expanded first: a mapping's own keys take precedence over merged ones, earlier merged mappings over later ones. A
//     member whose value is null or the empty string is left out, SPEC itself included: both mean absent to the readers
//     of a plugin, and kpt turns the one into the other in `{namespace: }`. Empty arrays and objects are kept:
//     `create: []` is not the same document as one without create.
//   - An array keeps its order, its nulls as `null` and its empty strings.
//   - In a string, `"` and `\` are escaped by a backslash, U+0008, U+0009, U+000A, U+000C and U+000D are \b \t \n \f \r,
//     other code points below U+0020 are \u00 with two lower-case digits. Everything else stands for itself.
//   - `true` and `false`.
//   - A number is written as ECMAScript's Number.prototype.toString does: `1e3`, `1_000`, `0x3e8` and `1000.0` are 1000,
//     `1e21` is 1e+21, `-0.0` is 0. Integers of 64 bits keep all their digits.
//
// YAML is read as by go-yaml v3, the parser of kustomize and kpt: `yes` and `on` are strings, `010` is 8. A plain
// date is the string that kustomize makes of it (`2020-01-01` is "2020-01-01T00:00:00Z"), `!!binary` the text it
// encodes. So a document has one digest in a file, in kpt and in kustomize, which sends documents through JSON.
//
// A value without such a form is an error: a key that is not a string, a key given twice, not-a-number and infinity, a
// number with more digits than a 64-bit float holds (kustomize would drop some), a plain time of day (kpt would quote some),
// text with U+0085 (kustomize would make a blank or a line break of it), binary data that is not UTF-8, a document that
// expands to more than MaxDigestSize or nests deeper than MaxDigestDepth. Package document has documents with
// their bytes and digests in testdata/vectors.
func Digest(name, version string, spec *yaml.Node) (string, *Problem) {
	text, problem := Canonical(name, version, spec)
	if problem != nil {
		return "", problem
	}
	sum := sha256.Sum256(text)
	return DigestPrefix + hex.EncodeToString(sum[:]), nil
}

// Canonical returns the bytes that Digest hashes.
func Canonical(name, version string, spec *yaml.Node) ([]byte, *Problem) {
	w := &digestWriter{left: MaxDigestSize}
	w.raw(`{"name":`)
	w.quote(name)
	if spec != nil {
		expanded, problems := Expand(spec, "spec")
		if len(problems) > 0 {
			return nil, &problems[0]
		}
		spec = expanded
	}
	if !isAbsent(spec) {
		w.raw(`,"spec":`)
		w.below("spec", spec)
	}
	w.raw(`,"version":`)
	w.quote(version)
	w.raw(`}`)
	return w.out, w.problem
}
