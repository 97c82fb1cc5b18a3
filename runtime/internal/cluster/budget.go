package cluster

import (
	"context"
	"encoding/json"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// recountKey is the annotation of a PodDisruptionBudget with the time at which a helper has asked for another count.
const recountKey = contract.Group + "/recount"

// WatchPods calls changed with the number of Pods that a PodDisruptionBudget selects, and again each time it changes, until
// changed returns done. Pods that are being terminated count, too: with a whole number as minAvailable, Kubernetes counts all
// Pods that exist
// (https://github.com/kubernetes/kubernetes/blob/v1.34.3/pkg/controller/disruption/disruption.go, getExpectedPodCount). So the
// caller needs no permission to read Pods. The kind of ref must be KindBudget.
func (c *Client) WatchPods(ctx context.Context, ref Ref, changed func(count int) (done bool)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go c.recount(ctx, ref)
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

// recount changes an annotation of a PodDisruptionBudget at intervals, until the context ends: Kubernetes then counts its Pods
// again. When a Pod ends, it does that for only one of the PodDisruptionBudgets that select the Pod (getPdbForPod), and users may
// have one that selects all Pods. Errors need no report: the watch has the same ones.
func (c *Client) recount(ctx context.Context, ref Ref) {
	for sleep(ctx, jitter(c.timing.Recount)) == nil {
		now := time.Now().UTC().Format(time.RFC3339)
		_, _ = c.patch(ctx, ref, Patch{Annotations: map[string]*string{recountKey: &now}}, "")
	}
}
