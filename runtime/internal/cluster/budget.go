package cluster

import "context"

// budget has the fields of a PodDisruptionBudget that CountPods reads.
type budget struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		UnhealthyPodEvictionPolicy string `json:"unhealthyPodEvictionPolicy"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int `json:"observedGeneration"`
		ExpectedPods       int `json:"expectedPods"`
	} `json:"status"`
}

// CountPods calls counted with the number of Pods that a PodDisruptionBudget selects, and again at intervals, until
// counted returns done. Pods that are being terminated count, too: with a whole number as minAvailable, Kubernetes
// counts all Pods that exist
// (https://github.com/kubernetes/kubernetes/blob/v1.34.3/pkg/controller/disruption/disruption.go, getExpectedPodCount).
// So the caller needs only the permission to patch the object, and none to read Pods. The kind of ref must be
// KindBudget.
func (c *Client) CountPods(ctx context.Context, ref Ref, counted func(count int) (done bool)) error {
	for {
		count, err := c.countPods(ctx, ref)
		if err != nil || counted(count) {
			return err
		}
		if err := sleep(ctx, jitter(c.timing.Recount)); err != nil {
			return err
		}
	}
}

// countPods returns the number of Pods that Kubernetes has counted after the call. An earlier number may be out of
// date: when a Pod starts or ends, Kubernetes counts for only one of the PodDisruptionBudgets that select it
// (getPdbForPod), and users may have others.
func (c *Client) countPods(ctx context.Context, ref Ref) (int, error) {
	asked := &budget{}
	err := c.retry(ctx, func() (err error) {
		asked, err = c.askForCount(ctx, ref)
		return err
	})
	for err == nil {
		now := &budget{}
		err = c.retry(ctx, func() error { return c.patch(ctx, ref, Patch{}, "", now) })
		switch {
		case err != nil:
		case now.Metadata.UID != asked.Metadata.UID: // created again
			return c.countPods(ctx, ref)
		case now.Status.ObservedGeneration >= asked.Metadata.Generation:
			return now.Status.ExpectedPods, nil
		default:
			err = sleep(ctx, jitter(c.timing.Interval))
		}
	}
	return 0, err
}

// askForCount changes a field of a PodDisruptionBudget that has no effect without a minimum of available Pods.
// Kubernetes counts the Pods of the new generation, and returns that in the status.
func (c *Client) askForCount(ctx context.Context, ref Ref) (*budget, error) {
	before, after := &budget{}, &budget{}
	if err := c.patch(ctx, ref, Patch{}, "", before); err != nil {
		return nil, err
	}
	policy := "AlwaysAllow"
	if before.Spec.UnhealthyPodEvictionPolicy == policy {
		policy = "IfHealthyBudget"
	}
	change := Patch{Spec: map[string]string{"unhealthyPodEvictionPolicy": policy}}
	return after, c.patch(ctx, ref, change, before.Metadata.ResourceVersion, after)
}
