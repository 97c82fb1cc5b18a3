package task

import (
	"context"
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/handover"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

// inputs is the init container: main starts when it ends. It decides whether the script runs at all, waits for what the
// script reads, writes the values that are read as files, and prepares the runner.
func inputs(ctx context.Context, t *task) error {
	producers, err := t.producers()
	if err != nil {
		return err
	}
	folder, err := handover.Open(t.host.IOFolder)
	if err != nil {
		return err
	}
	if err := folder.Prepare(t.plan, t.host.Runner); err != nil {
		return t.fail(ctx, err)
	}
	published, err := t.published(ctx)
	if err != nil {
		return err
	}
	if published {
		return t.skip(folder)
	}
	if err := t.receive(ctx, folder, producers); err != nil {
		return t.fail(ctx, err)
	}
	// The wait can have been long: another Pod of the same generation may have come first.
	if len(producers) > 0 {
		if published, err = t.published(ctx); err != nil {
			return err
		}
	}
	if published {
		return t.skip(folder)
	}
	return folder.Unmark(contract.PublishedFile)
}

// published tells whether there is nothing to do for this generation.
func (t *task) published(ctx context.Context) (bool, error) {
	if t.output.Name == "" {
		return false, nil
	}
	return t.record().Published(ctx)
}

// receive waits for all producers and writes the inputs that are read as files.
func (t *task) receive(ctx context.Context, folder *handover.Folder, producers []wait.Producer) error {
	return t.wait(ctx, producers, func(i int, secret *cluster.Secret) error {
		return eachFile(producers[i].Producer, func(input contract.Input) error {
			return folder.WriteInput(input.File, secret.Data[input.Output])
		})
	})
}

// skip tells the other containers that there is nothing to do. The files are written all the same, empty: a subPath
// mount without its file becomes a folder, and main would fail to start where the image has a file.
func (t *task) skip(folder *handover.Folder) error {
	for _, producer := range t.plan.Producers {
		err := eachFile(producer, func(input contract.Input) error { return folder.WriteInput(input.File, nil) })
		if err != nil {
			return err
		}
	}
	t.host.Reporter.Say(fmt.Sprintf("step %q: generation %s is published already", t.plan.Step, t.plan.Generation))
	return folder.Mark(contract.PublishedFile)
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
