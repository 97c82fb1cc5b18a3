// Package publish writes a step's outputs to its Secret, and annotations with the published or failed generation.
// Outputs and annotation are written with one patch, which applies only to the version that was read. So no reader sees
// one without the other, and a request that arrives late changes nothing.
package publish

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// Record is the Secret of a step, as written by one Pod of the step.
type Record struct {
	Client *cluster.Client
	Secret cluster.Ref
	// Generation is that of the Pod.
	Generation string
	// Attempts is contract.Plan.Attempts.
	Attempts int
	// Workloads are the outputs that workloads read. One without a name has no value: workloads only wait for its key.
	Workloads []string
	// Publication is a name of the publication: NewPublication, or that of the original for a copy. It may be empty.
	Publication string
	// Reads are the publications from which the outputs were made, by producer. They are empty for producers whose
	// publications have no name.
	Reads []string
}

// NewPublication returns a random name for a publication.
func NewPublication() string { return strings.ToLower(rand.Text()) }

// Published reports whether the generation is published. It waits until the Secret is applied for this generation. It adds
// missing keys for workloads, and removes the annotation of an earlier failure, so that consumers wait for this Pod. If it
// succeeds, the Pod also has the permission to publish.
func (r Record) Published(ctx context.Context) (bool, error) {
	published := false
	err := r.Client.Update(ctx, r.Secret, func(secret *cluster.Secret) (*cluster.Patch, error) {
		if err := r.checkOwn(secret); err != nil {
			return nil, err
		}
		if err := r.checkGeneration(secret); err != nil {
			return nil, &cluster.Retryable{Cause: err}
		}
		if published = secret.Annotation(contract.PublishedKey) == r.Generation; published {
			return r.addWorkloadKeys(secret)
		}
		if err := r.checkMutable(secret); err != nil || secret.Annotation(contract.FailedKey) != r.Generation {
			return nil, err
		}
		return &cluster.Patch{Annotations: map[string]*string{contract.FailedKey: nil, contract.FailuresKey: nil}}, nil
	})
	return published, err
}

// addWorkloadKeys returns the patch of a published Secret that a workload has begun to read since.
func (r Record) addWorkloadKeys(secret *cluster.Secret) (*cluster.Patch, error) {
	added := map[string][]byte{}
	for _, output := range r.Workloads {
		key := contract.WorkloadKey(output, r.Generation)
		value, hasValue := secret.Data[output]
		if _, hasKey := secret.Data[key]; (hasValue || output == "") && !hasKey {
			added[key] = append([]byte{}, value...)
		}
	}
	if len(added) == 0 {
		return nil, nil
	}
	return &cluster.Patch{Data: added}, r.checkMutable(secret)
}

// Publish replaces the Secret's data with the values, adds the keys for workloads, and marks the generation as published.
func (r Record) Publish(ctx context.Context, values map[string][]byte) error {
	return r.Client.Update(ctx, r.Secret, func(secret *cluster.Secret) (*cluster.Patch, error) {
		for _, check := range []func(*cluster.Secret) error{r.checkOwn, r.checkGeneration, r.checkMutable} {
			if err := check(secret); err != nil {
				return nil, err
			}
		}
		data := make(map[string][]byte, len(values)+len(secret.Data))
		for key := range secret.Data {
			data[key] = nil
		}
		for key, value := range values {
			data[key] = append([]byte{}, value...)
		}
		for _, output := range r.Workloads {
			data[contract.WorkloadKey(output, r.Generation)] = append([]byte{}, values[output]...)
		}
		if err := r.checkSize(data); err != nil {
			return nil, err
		}
		return &cluster.Patch{Data: data, Annotations: r.annotations(secret)}, nil
	})
}

// annotations returns those of a publication; nil removes one.
func (r Record) annotations(secret *cluster.Secret) map[string]*string {
	annotations := map[string]*string{
		contract.PublishedKey: &r.Generation, contract.FailedKey: nil, contract.FailuresKey: nil, contract.PublicationKey: nil,
	}
	if r.Publication != "" {
		annotations[contract.PublicationKey] = &r.Publication
	}
	for key := range secret.Metadata.Annotations {
		if contract.IsReadKey(key) {
			annotations[key] = nil
		}
	}
	for i := range r.Reads {
		if r.Reads[i] != "" {
			annotations[contract.ReadKey(i)] = &r.Reads[i]
		}
	}
	return annotations
}

// checkSize returns an error for outputs that fit into a Secret only without the keys for workloads.
func (r Record) checkSize(data map[string][]byte) error {
	total := 0
	for _, value := range data {
		total += len(value)
	}
	if len(r.Workloads) == 0 || total <= contract.MaxOutputBytes {
		return nil
	}
	return fmt.Errorf("outputs must not have more than %d bytes in total, the limit of a Secret, in which those that "+
		"workloads read count twice", contract.MaxOutputBytes)
}

// Fail records that a Pod of this generation failed. After the last attempt the generation is marked as failed, and
// consumers stop. A published generation stays published.
func (r Record) Fail(ctx context.Context) error {
	return r.Client.Update(ctx, r.Secret, func(secret *cluster.Secret) (*cluster.Patch, error) {
		if err := r.checkOwn(secret); err != nil {
			return nil, err
		}
		if err := r.checkGeneration(secret); err != nil || secret.Annotation(contract.PublishedKey) == r.Generation {
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

// failures returns the number of failed Pods of this generation.
func (r Record) failures(secret *cluster.Secret) int {
	generation, text, _ := strings.Cut(secret.Annotation(contract.FailuresKey), " ")
	if generation != r.Generation {
		return 0
	}
	count, _ := strconv.Atoi(text)
	return count
}

const deleteAdvice = "delete it if its data is not needed, and apply the render again"

// checkOwn returns an error if the Secret was not rendered: a rendered one has a generation, and only data from steps,
// which write it together with the annotation.
func (r Record) checkOwn(secret *cluster.Secret) error {
	switch {
	case secret.Annotation(contract.GenerationKey) == "":
		return fmt.Errorf("secret %q in namespace %q was not rendered for this step, since it has no annotation %s: "+deleteAdvice,
			r.Secret.Name, r.Secret.Namespace, contract.GenerationKey)
	case len(secret.Data) > 0 && secret.Annotation(contract.PublishedKey) == "":
		return fmt.Errorf("secret %q in namespace %q has data that no step published: "+deleteAdvice, r.Secret.Name,
			r.Secret.Namespace)
	}
	return nil
}

// checkMutable returns an error if the Secret is immutable.
func (r Record) checkMutable(secret *cluster.Secret) error {
	if !secret.Immutable {
		return nil
	}
	return fmt.Errorf("secret %q in namespace %q is immutable, so no outputs can be written to it: "+deleteAdvice,
		r.Secret.Name, r.Secret.Namespace)
}

// checkGeneration returns an error if the Secret was rendered for another generation, newer or older.
func (r Record) checkGeneration(secret *cluster.Secret) error {
	wanted := secret.Annotation(contract.GenerationKey)
	if wanted == r.Generation {
		return nil
	}
	return fmt.Errorf("secret %q is for generation %q of the step, this Pod is of generation %q: the Job of an older "+
		"render must be deleted", r.Secret.Name, wanted, r.Generation)
}
