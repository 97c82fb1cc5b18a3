package manager

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

// inputs is the init container, so main starts when it has ended. It checks whether the step is already published,
// prepares the volume for the runner, waits for the producers, and writes the inputs that are read as files.
func inputs(ctx context.Context, t *task) error {
	producers, err := t.producers()
	if err != nil {
		return err
	}
	volume, err := runner.OpenVolume(t.host.IOFolder)
	if err != nil {
		return err
	}
	if err = volume.Prepare(t.plan); err == nil {
		err = volume.CopyRunner(t.host.Runner)
	}
	if err != nil {
		return t.fail(ctx, err)
	}
	published, err := t.published(ctx)
	if err != nil {
		return err
	}
	if published {
		return t.skip(volume)
	}
	if err := t.receive(ctx, volume, producers); err != nil {
		return t.fail(ctx, err)
	}
	// During the wait another Pod of the same generation may have published.
	if len(producers) > 0 {
		if published, err = t.published(ctx); err != nil {
			return err
		}
	}
	if published {
		return t.skip(volume)
	}
	return volume.RemoveMarker(contract.PublishedFile)
}

// maxApplyTimeout limits how long a Pod waits for its Secret and Role before its script runs. Up to it, that is the start
// timeout, which the deadline of the Pod includes, or the timeout of all requests if that is longer.
const maxApplyTimeout = 5 * time.Minute

// published reports whether this generation is published already. It waits for a Secret and a Role that are applied after
// the Pod's Job.
func (t *task) published(ctx context.Context) (bool, error) {
	if t.output.Name == "" {
		return false, nil
	}
	limit := min(t.startTimeout(), maxApplyTimeout)
	record := t.record()
	record.Client = t.client.WithApplyTimeout(cmp.Or(t.host.Timing.ApplyTimeout, limit))
	return record.Published(ctx)
}

// receive waits for the producers and writes the inputs that are read as files.
func (t *task) receive(ctx context.Context, volume *runner.Volume, producers []wait.Producer) error {
	publications := make([]string, len(producers))
	var variables variables
	err := t.wait(ctx, producers, func(i int, secret *cluster.Secret) error {
		publications[i] = secret.Annotation(contract.PublicationKey)
		if err := variables.add(producers[i].Producer, secret, t.host.Reporter.Log); err != nil {
			return err
		}
		return eachFile(producers[i].Producer, func(input contract.Input) error {
			return volume.WriteInput(input.File, secret.Data[input.Output])
		})
	})
	if err != nil || len(producers) == 0 {
		return err
	}
	return volume.WriteReads(publications)
}

// skip marks the step as published for the other containers. It writes empty input files, since a subPath mount without
// its file becomes a folder, and main would fail to start if the image has a file there.
func (t *task) skip(volume *runner.Volume) error {
	for _, producer := range t.plan.Producers {
		err := eachFile(producer, func(input contract.Input) error { return volume.WriteInput(input.File, nil) })
		if err != nil {
			return err
		}
	}
	t.host.Reporter.Log(fmt.Sprintf("step %q: %s", t.plan.Step, contract.AlreadyPublished(t.plan.Generation)))
	return volume.SetMarker(contract.PublishedFile)
}

func eachFile(producer contract.Producer, write func(contract.Input) error) error {
	for _, input := range producer.Inputs {
		if input.File == "" {
			continue
		}
		if err := write(input); err != nil {
			return err
		}
	}
	return nil
}
