package yamlprint

import (
	"bytes"
	"strconv"
)

// MustBePair is the message for HalfCharacter.
const MustBePair = "must not be half of a surrogate pair: a character above U+FFFF takes two escapes in JSON, such as " +
	`\ud83d\ude00`

// HalfCharacter returns the position of the first escape of an unpaired surrogate in a valid JSON text, or -1.
// encoding/json reads it as U+FFFD.
func HalfCharacter(text []byte) int {
	for at := 0; at < len(text); {
		next := bytes.IndexByte(text[at:], '\\')
		if next < 0 {
			break
		}
		at += next
		first := escaped(text[at:])
		switch isHigh := first >= 0xd800 && first < 0xdc00; {
		case first < 0xd800 || first > 0xdfff:
			at += len(`\n`)
		case isHigh && isLow(text[at+escapeSize:]):
			at += 2 * escapeSize
		default:
			return at
		}
	}
	return -1
}

const escapeSize = len(`\u0000`)

func isLow(text []byte) bool {
	half := escaped(text)
	return half >= 0xdc00 && half < 0xe000
}

// escaped returns the number of the escape that a text starts with, \u and four hexadecimal digits, or -1.
func escaped(text []byte) int {
	if len(text) < escapeSize || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	code, err := strconv.ParseUint(string(text[2:escapeSize]), 16, 16)
	if err != nil {
		return -1
	}
	return int(code)
}
