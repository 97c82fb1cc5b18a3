package task

import (
	"context"
	"fmt"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

// cleanup is the last Job of a delete phase. When the delete steps are through it removes the outputs of the create
// steps, everywhere, and then the stamps of the delete steps. A delete step that failed keeps all: the next try needs it.
func cleanup(ctx context.Context, t *task) error {
	producers, err := t.producers()
	if err != nil {
		return err
	}
	var done []wait.Producer
	var remove, stamps []cluster.Ref
	for _, producer := range producers {
		if producer.Generation != "" {
			done = append(done, producer)
			stamps = append(stamps, producer.Secret)
			continue
		}
		remove = append(remove, producer.Secret)
		for _, namespace := range t.targets {
			remove = append(remove, cluster.Ref{Namespace: namespace, Name: producer.Secret.Name})
		}
	}
	if err := t.wait(ctx, done, func(int, *cluster.Secret) error { return nil }); err != nil {
		return err
	}
	// Half a removal cannot be told from one that has not begun, so a Pod that is asked to end finishes it.
	ctx = context.WithoutCancel(ctx)
	for _, secret := range append(remove, stamps...) {
		if err := t.client.Delete(ctx, secret); err != nil {
			return err
		}
		t.host.Reporter.Say(fmt.Sprintf("removed secret %q from namespace %q", secret.Name, secret.Namespace))
	}
	return nil
}
