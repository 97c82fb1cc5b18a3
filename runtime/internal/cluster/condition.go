package cluster

import (
	"context"
	"net/http"
)

// Condition is one of an object's status.conditions.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// WaitConditions gets an object again and again until ready returns true or an error for its conditions. An object that does
// not exist has none. It needs the permission get.
func (c *Client) WaitConditions(ctx context.Context, ref Ref,
	ready func(conditions []Condition) (bool, error),
) error {
	return c.retry(ctx, func() error {
		var object struct {
			Status struct{ Conditions []Condition }
		}
		err := c.call(ctx, request{verb: "get", method: http.MethodGet, object: ref, path: ref.path(), hasNoSecret: true}, &object)
		if err != nil && !isNotFound(err) {
			return err
		}
		isReady, err := ready(object.Status.Conditions)
		if err == nil && !isReady {
			err = &Failure{Verb: "get", Object: ref, Reason: "it is not ready yet"}
		}
		return err
	})
}
