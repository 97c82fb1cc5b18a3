package manager

import (
	"context"
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/publish"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

// copyOutputs is the copy Job: it copies outputs to Secrets of the same name in other namespaces, for the workloads there,
// and marks them as published with the same generation. Or it copies them to the Secret of an OutputSecret.
func copyOutputs(ctx context.Context, t *task) error {
	producers, err := t.producers()
	if err != nil {
		return err
	}
	if t.output.Name != "" {
		return t.copyToOne(ctx, producers)
	}
	return t.wait(ctx, producers, func(i int, source *cluster.Secret) error {
		values := map[string][]byte{}
		record := publish.Record{
			Client: t.client, Generation: source.Annotation(contract.PublishedKey),
			Publication: source.Annotation(contract.PublicationKey),
		}
		for _, input := range producers[i].Inputs {
			if input.Output != "" {
				values[input.Output] = source.Data[input.Output]
			}
			if input.Workloads {
				record.Workloads = append(record.Workloads, input.Output)
			}
		}
		for _, namespace := range producers[i].Copies {
			record.Secret = cluster.Ref{Namespace: namespace, Name: producers[i].Secret.Name}
			if err := t.copy(ctx, record, values); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyToOne is the copy Job of an OutputSecret: when all steps have published, it writes their outputs to one Secret, under
// its keys, and records which publications these are from.
func (t *task) copyToOne(ctx context.Context, producers []wait.Producer) error {
	record, values := t.record(), map[string][]byte{}
	record.Publication, record.Reads = publish.NewPublication(), make([]string, len(producers))
	err := t.wait(ctx, producers, func(i int, source *cluster.Secret) error {
		record.Reads[i] = source.Annotation(contract.PublicationKey)
		for _, input := range producers[i].Inputs {
			values[input.Key] = source.Data[input.Output]
		}
		for _, namespace := range producers[i].Copies {
			record.Secret.Namespace = namespace
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.copy(ctx, record, values)
}

func (t *task) copy(ctx context.Context, record publish.Record, values map[string][]byte) error {
	// Waits for Secrets that are applied after this Job.
	if _, err := record.Published(ctx); err != nil {
		return err
	}
	if err := record.Publish(ctx, values); err != nil {
		return err
	}
	t.host.Reporter.Log(fmt.Sprintf("copied %d outputs to secret %q in namespace %q", len(values), record.Secret.Name,
		record.Secret.Namespace))
	return nil
}
