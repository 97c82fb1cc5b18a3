package manager

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/publish"
	"github.com/resource-plugins/krm-functions/runtime/internal/variable"
)

// forks is the first Job of a delete phase: it waits until no Pod of the sandbox's forks is left, and then publishes, which
// the delete steps wait for. The wait is limited like a script.
func forks(ctx context.Context, t *task) error {
	budget := t.host.Getenv(contract.ForkBudgetVariable)
	if budget == "" {
		return variable.Missing(contract.ForkBudgetVariable)
	}
	published, err := t.published(ctx)
	if err != nil {
		return err
	}
	if published {
		t.host.Reporter.Log(contract.AlreadyPublished(t.plan.Generation))
		return nil
	}
	if err := t.awaitForks(ctx, budget); err != nil {
		return t.fail(ctx, err)
	}
	record := t.record()
	record.Publication = publish.NewPublication()
	return t.fail(ctx, record.Publish(ctx, nil))
}

// awaitForks waits in all namespaces at the same time.
func (t *task) awaitForks(ctx context.Context, budget string) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	left := &podCounts{byNamespace: map[string]int{}}
	if limit := time.Duration(t.plan.TimeoutSeconds) * time.Second; limit > 0 {
		defer time.AfterFunc(limit, func() { stop(left.failure(t.plan.Forks, limit)) }).Stop()
	}
	var group sync.WaitGroup
	for _, namespace := range t.plan.Forks {
		ref := cluster.Ref{Kind: cluster.KindBudget, Namespace: namespace, Name: budget}
		group.Go(func() {
			err := t.client.CountPods(ctx, ref, func(count int) bool {
				if left.set(namespace, count) {
					t.host.Reporter.Log("waiting until the sandbox's forks have ended: " + podsLeft(count, namespace))
				}
				return count == 0
			})
			if err != nil {
				stop(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// podCounts are the numbers of Pods of forks, by namespace.
type podCounts struct {
	mu          sync.Mutex
	byNamespace map[string]int
}

// set sets a number, and reports whether it is new and there are Pods.
func (p *podCounts) set(namespace string, count int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, known := p.byNamespace[namespace]
	p.byNamespace[namespace] = count
	return count > 0 && (!known || before != count)
}

// failure returns the error of a wait that took too long.
func (p *podCounts) failure(namespaces []string, limit time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, namespace := range namespaces {
		if count, known := p.byNamespace[namespace]; !known {
			return fmt.Errorf("the Pods of the sandbox's forks in namespace %q have not been counted for %s: its "+
				"PodDisruptionBudget must be applied, and kube-controller-manager must run the disruption controller", namespace, limit)
		} else if count > 0 {
			return fmt.Errorf("the sandbox's forks have not ended for %s: %s; delete the forks and this Job, and apply again",
				limit, podsLeft(count, namespace))
		}
	}
	return context.DeadlineExceeded // not reached: the wait has ended
}

func podsLeft(count int, namespace string) string {
	if count == 1 {
		return fmt.Sprintf("1 Pod is left in namespace %q", namespace)
	}
	return fmt.Sprintf("%d Pods are left in namespace %q", count, namespace)
}
