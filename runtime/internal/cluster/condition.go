package cluster

import (
	"context"
	"encoding/json"
)

// Condition is one of an object's status.conditions.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// WatchConditions calls changed with the conditions of an object, and again each time it changes, until changed returns
// done or an error. It calls changed with exists false when the object was deleted, and not at all while it does not exist.
func (c *Client) WatchConditions(ctx context.Context, ref Ref,
	changed func(conditions []Condition, exists bool) (done bool, err error),
) error {
	return c.watch(ctx, ref, func(object *watchedObject) (bool, error) {
		if object == nil {
			return changed(nil, false)
		}
		var status struct{ Conditions []Condition }
		if err := json.Unmarshal(object.Status, &status); err != nil && len(object.Status) > 0 {
			return false, &Failure{Verb: "watch", Object: ref, Reason: "an event must be an object as JSON"}
		}
		return changed(status.Conditions, true)
	})
}
