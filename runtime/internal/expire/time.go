package expire

import (
	"encoding/json"
	"time"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
)

// managedFields are the fields of an object that a client has set, and when it last changed them.
type managedFields struct {
	Time     time.Time
	FieldsV1 struct {
		Metadata struct {
			Annotations map[string]json.RawMessage `json:"f:annotations"`
		} `json:"f:metadata"`
	}
}

// start returns the time from which the ttl counts, zero if it is not known: the ConfigMap's creation, or its last
// change by a client that sets the digest of the document. A client that applies the same object again changes nothing,
// and the cluster keeps the time; resourceVersion would change with annotations of others, and generation is not set.
// Clients that set other annotations do not count.
func (o *object) start(offsetFrom string) (start time.Time) {
	if offsetFrom == expiry.CreatedAt {
		return o.Metadata.CreationTimestamp
	}
	for _, fields := range o.Metadata.ManagedFields {
		_, has := fields.FieldsV1.Metadata.Annotations["f:"+expiry.DocumentKey]
		if has && fields.Time.After(start) {
			start = fields.Time
		}
	}
	// Clients may write these times, but not that of the creation.
	if !start.IsZero() && start.Before(o.Metadata.CreationTimestamp) {
		return o.Metadata.CreationTimestamp
	}
	return start
}

// end returns when a ttl ends that started at a time, or the reason why it does not: nothing expires at a time that is
// not known.
func end(start, now time.Time, seconds int64) (end time.Time, problem string) {
	switch {
	case start.IsZero():
		return end, "its ttl does not run: the time from which it counts is not known"
	case start.After(now):
		return end, "its ttl does not run: it counts from " + stamp(start) + ", which is later than now, " + stamp(now)
	case seconds <= 0:
		return end, "its ttl does not run: it must be longer than 0"
	}
	// A time.Duration has no room for the ttl of every sandbox.
	return time.Unix(start.Unix()+seconds, 0), ""
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
