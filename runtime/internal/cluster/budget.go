package cluster

import (
	"context"
	"encoding/json"
)

// WatchPods calls changed with the number of Pods that a PodDisruptionBudget selects, and again each time it changes, until
// changed returns done. Pods that are being terminated count, too: with a whole number as minAvailable, Kubernetes counts all
// Pods that exist
// (https://github.com/kubernetes/kubernetes/blob/v1.34.3/pkg/controller/disruption/disruption.go, getExpectedPodCount). So the
// caller needs no permission to read Pods. The kind of ref must be KindBudget.
func (c *Client) WatchPods(ctx context.Context, ref Ref, changed func(count int) (done bool)) error {
	return c.watch(ctx, ref, func(object *watchedObject) (bool, error) {
		if object == nil { // deleted
			return false, nil
		}
		var status struct {
			ObservedGeneration int `json:"observedGeneration"`
			ExpectedPods       int `json:"expectedPods"`
		}
		if err := json.Unmarshal(object.Status, &status); err != nil && len(object.Status) > 0 {
			return false, &Failure{Verb: "watch", Object: ref, Reason: "an event must be a PodDisruptionBudget as JSON"}
		}
		if status.ObservedGeneration < max(1, object.Metadata.Generation) {
			return false, nil // not counted yet
		}
		return changed(status.ExpectedPods), nil
	})
}
