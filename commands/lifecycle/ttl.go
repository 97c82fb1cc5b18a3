package lifecycle

import "time"

// latest is the last time that is printed: RFC 3339 has years of four digits.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// after returns the time a number of seconds later, at most latest. A time.Duration has no room for the ttl of every
// sandbox.
func after(start time.Time, seconds int64) time.Time {
	if seconds >= latest.Unix()-start.Unix() {
		return latest
	}
	return time.Unix(start.Unix()+seconds, int64(start.Nanosecond())).UTC()
}
