package task

import (
	"context"
	"fmt"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

// cleanup is the last Job of a delete phase. When the delete steps are through it removes the outputs of the create
// steps, everywhere, and then what the delete steps left. A delete step that failed keeps all: the next try needs it.
func cleanup(ctx context.Context, t *task) error {
	producers, err := t.producers()
	if err != nil {
		return err
	}
	var steps []wait.Producer
	var remove, last []cluster.Ref
	for _, producer := range producers {
		if producer.Generation != "" {
			steps = append(steps, producer)
			last = append(last, producer.Secret)
			continue
		}
		for _, namespace := range producer.Copies {
			remove = append(remove, cluster.Ref{Namespace: namespace, Name: producer.Secret.Name})
		}
		remove = append(remove, producer.Secret)
	}
	if err := t.wait(ctx, steps, func(int, *cluster.Secret) error { return nil }); err != nil {
		return fmt.Errorf("no Secret is removed, so that the delete phase can run again: %w", err)
	}
	// Half a removal cannot be told from one that has not begun, so a Pod that is asked to end finishes it.
	ctx = context.WithoutCancel(ctx)
	for _, secret := range append(remove, last...) {
		if err := t.client.Delete(ctx, secret); err != nil {
			return err
		}
		t.host.Reporter.Say(fmt.Sprintf("removed secret %q from namespace %q", secret.Name, secret.Namespace))
	}
	return nil
}
