package lifecycle

import (
	"errors"
	"fmt"
	"time"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/history"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
)

// The states of documents with a ttl.
const (
	stateExpired = "expired"
	stateActive  = "active"
	// stateUnknown is that of a document which may have expired, and for certain will have at Expires.
	stateUnknown = "unknown"
	// stateMatched is that of a route group whose ttl does not run, since a sandbox matches.
	stateMatched = "matched"
)

// The values of ttl.offsetFrom.
const (
	createdAt = "createdAt"
	updatedAt = "updatedAt"
	unmatched = "noMatchedSandboxes"
)

// expiry is a document with a ttl.
type expiry struct {
	Kind    string     `json:"kind"`
	Name    string     `json:"name"`
	Cluster string     `json:"cluster,omitempty"`
	File    string     `json:"file"`
	Line    int        `json:"line"`
	TTL     string     `json:"ttl"`
	From    string     `json:"offsetFrom"`
	State   string     `json:"state"`
	Start   *time.Time `json:"start,omitempty"`
	Commit  string     `json:"commit,omitempty"`
	Expires *time.Time `json:"expires,omitempty"`
	Reason  string     `json:"reason,omitempty"`

	document load.Document
}

// expiries returns the documents with a ttl that are not absent, in their order.
func expiries(read *load.Package, options load.Options, now time.Time) (entries []*expiry, err error) {
	var documents []load.Document
	for _, d := range read.Documents {
		if e := expiryOf(d); e != nil {
			entries, documents = append(entries, e), append(documents, d)
		}
	}
	if len(documents) == 0 {
		return nil, nil
	}
	h, err := history.Open(options, now)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	lives, err := h.Lives(documents, read.Documents)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		e.judge(lives[i], now)
	}
	return entries, nil
}

// expiryOf returns an entry for a sandbox or route group with a ttl, nil for others.
func expiryOf(d load.Document) *expiry {
	if d.Item.APIVersion() != contract.APIVersion {
		return nil
	}
	place := d.Item.PlaceOf("")
	e := &expiry{Kind: d.Item.Kind(), Name: d.Item.Name(), File: place.File, Line: place.Line, document: d}
	switch d.Item.Kind() {
	case contract.Sandbox:
		s, _ := document.ReadSandbox(d.Item)
		if s.Spec.TTL == nil {
			return nil
		}
		e.Cluster, e.TTL, e.From = s.Spec.Cluster, s.Spec.TTL.Duration, s.Spec.TTL.OffsetFrom
		if e.From == "" {
			e.From = createdAt
		}
	case contract.RouteGroup:
		g, _ := document.ReadRouteGroup(d.Item)
		if g.Spec.TTL == nil {
			return nil
		}
		e.Cluster, e.TTL, e.From = g.Spec.Cluster, g.Spec.TTL.Duration, g.Spec.TTL.OffsetFrom
		if e.From == "" {
			e.From = unmatched
		}
	default:
		return nil
	}
	if isAbsent(d) {
		return nil
	}
	return e
}

// judge decides whether the document has expired.
func (e *expiry) judge(life history.Life, now time.Time) {
	lifetime, err := document.ParseTTL(e.TTL)
	if err != nil {
		e.State, e.Reason = stateUnknown, "ttl.duration "+err.Error()
		return
	}
	var start history.Moment
	switch e.From {
	case createdAt:
		start = life.Created
	case updatedAt:
		start = life.Updated
	case unmatched:
		if e.Kind != contract.RouteGroup {
			e.State, e.Reason = stateUnknown, fmt.Sprintf("ttl.offsetFrom must be %s or %s, not %q", createdAt, updatedAt, e.From)
			return
		}
		if life.Unmatched == nil {
			e.State, e.Reason = stateMatched, "a sandbox matches"
			return
		}
		start = *life.Unmatched
	default:
		e.State, e.Reason = stateUnknown, fmt.Sprintf("ttl.offsetFrom must be %s or %s, not %q", createdAt, updatedAt, e.From)
		return
	}
	end := after(start.Time, lifetime)
	e.Start, e.Expires, e.Commit, e.Reason = &start.Time, &end, start.Commit, start.Unknown
	switch {
	case !end.After(now) && !start.Time.Equal(now):
		e.State, e.Reason = stateExpired, ""
	case start.Unknown != "":
		e.State = stateUnknown
	default:
		e.State = stateActive
	}
}

// text describes the entry in a line.
func (e *expiry) text() string {
	text := fmt.Sprintf("%s:%d: %s %s: %s", e.File, e.Line, e.Kind, e.Name, e.State)
	if e.Expires != nil {
		switch e.State {
		case stateExpired:
			text += " since " + stamp(*e.Expires)
		case stateUnknown:
			text += ", expires at the latest at " + stamp(*e.Expires)
		default:
			text += ", expires at " + stamp(*e.Expires)
		}
		text += fmt.Sprintf(" (ttl %s, %s %s", e.TTL, e.From, stamp(*e.Start))
		if e.Commit != "" {
			text += " by commit " + e.Commit[:min(12, len(e.Commit))]
		} else {
			text += ", not committed"
		}
		text += ")"
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
