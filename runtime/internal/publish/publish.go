// Package publish keeps the record of a step in the step's Secret: which generation's outputs it holds, and which
// generation failed. Outputs and stamp are written by one patch, so that nobody ever sees one without the other, and
// only over the version that was read, so that a request that the network delivers late changes nothing.
package publish

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// Record is a step's Secret, as one of the Pods that work for it keeps it.
type Record struct {
	Client *cluster.Client
	Secret cluster.Ref
	// Generation is what the Pod works for.
	Generation string
	// Attempts is contract.Plan's.
	Attempts int
}

// Published tells whether the generation is published, as the API server has it stored. It waits for the Secret to be
// applied in this generation. A failure that an earlier Job has stamped is taken back: consumers shall wait for this Pod.
// After it has succeeded, the Pod is known to have the right to publish.
func (r Record) Published(ctx context.Context) (bool, error) {
	published := false
	err := r.Client.Update(ctx, r.Secret, func(secret *cluster.Secret) (*cluster.Patch, error) {
		if err := r.current(secret); err != nil {
			return nil, &cluster.NotYet{Cause: err}
		}
		published = secret.Annotation(contract.PublishedKey) == r.Generation
		if published || secret.Annotation(contract.FailedKey) != r.Generation {
			return nil, nil
		}
		return &cluster.Patch{Annotations: map[string]*string{contract.FailedKey: nil, contract.FailuresKey: nil}}, nil
	})
	return published, err
}

// Publish makes the Secret hold exactly the values, stamped with the generation.
func (r Record) Publish(ctx context.Context, values map[string][]byte) error {
	return r.Client.Update(ctx, r.Secret, func(secret *cluster.Secret) (*cluster.Patch, error) {
		if err := r.current(secret); err != nil {
			return nil, err
		}
		data := make(map[string][]byte, len(values)+len(secret.Data))
		for key := range secret.Data {
			data[key] = nil
		}
		for key, value := range values {
			data[key] = append([]byte{}, value...)
		}
		return &cluster.Patch{Data: data, Annotations: map[string]*string{
			contract.PublishedKey: &r.Generation, contract.FailedKey: nil, contract.FailuresKey: nil,
		}}, nil
	})
}

// Fail records that a Pod of this generation failed. The last of the attempts stamps the failure, at which consumers
// stop. A generation that is published stays so.
func (r Record) Fail(ctx context.Context) error {
	return r.Client.Update(ctx, r.Secret, func(secret *cluster.Secret) (*cluster.Patch, error) {
		if err := r.current(secret); err != nil || secret.Annotation(contract.PublishedKey) == r.Generation {
			return nil, err
		}
		count := 1 + r.failures(secret)
		if count >= r.Attempts {
			return &cluster.Patch{Annotations: map[string]*string{
				contract.FailedKey: &r.Generation, contract.FailuresKey: nil,
			}}, nil
		}
		text := r.Generation + " " + strconv.Itoa(count)
		return &cluster.Patch{Annotations: map[string]*string{contract.FailuresKey: &text}}, nil
	})
}

// failures is how many Pods of this generation have failed.
func (r Record) failures(secret *cluster.Secret) int {
	generation, text, _ := strings.Cut(secret.Annotation(contract.FailuresKey), " ")
	if generation != r.Generation {
		return 0
	}
	count, _ := strconv.Atoi(text)
	return count
}

// current refuses to write for a generation that the rendered Secret is not meant for any more, or not yet.
func (r Record) current(secret *cluster.Secret) error {
	wanted := secret.Annotation(contract.GenerationKey)
	if wanted == "" || wanted == r.Generation {
		return nil
	}
	return fmt.Errorf("secret %q belongs to another generation of the step (%q, this Pod is of %q): the Job of an older "+
		"render must not run or publish; remove it", r.Secret.Name, wanted, r.Generation)
}
