package document

import (
	"fmt"
	"strconv"
)

// secondsOf are the units of a ttl.
var secondsOf = map[byte]int64{'m': 60, 'h': 60 * 60, 'd': 24 * 60 * 60, 'w': 7 * 24 * 60 * 60}

// ParseTTL returns the seconds of the duration of a ttl: an unsigned number of 32 bits, and the unit m, h, d or w. The error
// has the form that it must have. The source is https://www.signadot.com/docs/reference/sandboxes/spec.
func ParseTTL(text string) (seconds int64, err error) {
	if n := len(text) - 1; n > 0 {
		number, err := strconv.ParseUint(text[:n], 10, 32)
		if unit := secondsOf[text[n]]; err == nil && unit > 0 {
			return int64(number) * unit, nil
		}
	}
	return 0, fmt.Errorf("must be a number of at most 32 bits and one of the units m, h, d and w, such as %q, not %q",
		"2d", text)
}
