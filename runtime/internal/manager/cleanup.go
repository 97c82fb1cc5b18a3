package manager

import (
	"context"
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/variable"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

// cleanup is the last Job of a delete phase. When the delete steps have succeeded, it deletes the Secrets of the create
// steps and of OutputSecrets in all namespaces, then those of the delete steps. If a delete step failed, it deletes
// nothing: the next attempt needs the Secrets.
func cleanup(ctx context.Context, t *task) error {
	producers, err := t.producers()
	if err != nil {
		return err
	}
	var steps []wait.Producer
	var createSecrets, deleteSecrets []cluster.Ref
	for _, producer := range producers {
		if producer.Generation != "" {
			steps = append(steps, producer)
			deleteSecrets = append(deleteSecrets, producer.Secret)
			continue
		}
		for _, namespace := range producer.Copies {
			createSecrets = append(createSecrets, cluster.Ref{Namespace: namespace, Name: producer.Secret.Name})
		}
		createSecrets = append(createSecrets, producer.Secret)
	}
	removed, err := t.removed()
	if err != nil {
		return err
	}
	createSecrets = append(removed, createSecrets...)
	if err := t.wait(ctx, steps, func(int, *cluster.Secret) error { return nil }); err != nil {
		return fmt.Errorf("no Secret was deleted, so that the delete phase can run again: %w", err)
	}
	// Not interrupted: after deleting some Secrets, another attempt would wait for steps whose Secrets are gone.
	ctx = context.WithoutCancel(ctx)
	for _, secret := range append(createSecrets, deleteSecrets...) {
		if err := t.client.Delete(ctx, secret); err != nil {
			return err
		}
		t.host.Reporter.Log(fmt.Sprintf("deleted secret %q in namespace %q", secret.Name, secret.Namespace))
	}
	return nil
}

// removed returns the Secrets that the cleanup deletes beside those of the producers.
func (t *task) removed() (secrets []cluster.Ref, err error) {
	for i, namespace := range t.plan.Removes {
		from := contract.InputSecretVariable(len(t.plan.Producers) + i)
		name := t.host.Getenv(from)
		if name == "" {
			return nil, variable.Missing(from)
		}
		secrets = append(secrets, cluster.Ref{Namespace: namespace, Name: name})
	}
	return secrets, nil
}
