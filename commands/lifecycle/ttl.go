package lifecycle

import (
	"fmt"
	"strconv"
	"time"
)

// ttl is a lifetime in seconds: that of a sandbox may be longer than a time.Duration.
type ttl int64

var ttlUnits = map[byte]ttl{'m': 60, 'h': 60 * 60, 'd': 24 * 60 * 60, 'w': 7 * 24 * 60 * 60}

// parseTTL reads a number of 32 bits and one of the units m, h, d and w (Sandbox spec, ttl).
func parseTTL(text string) (ttl, error) {
	if n := len(text) - 1; n > 0 {
		number, err := strconv.ParseUint(text[:n], 10, 32)
		if unit := ttlUnits[text[n]]; err == nil && unit > 0 {
			return ttl(number) * unit, nil
		}
	}
	return 0, fmt.Errorf("ttl.duration must be a number of at most 32 bits and one of the units m, h, d and w, such as %q, not %q",
		"2d", text)
}

// latest is the last time that is printed: RFC 3339 has years of four digits.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// after returns the end of a lifetime, at most latest.
func (t ttl) after(start time.Time) time.Time {
	if int64(t) >= latest.Unix()-start.Unix() {
		return latest
	}
	return time.Unix(start.Unix()+int64(t), int64(start.Nanosecond())).UTC()
}
