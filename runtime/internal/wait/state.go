package wait

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

type progress int

const (
	pending progress = iota
	published
	failed
	superseded // the Secret was rendered for another generation
)

// progressOf returns the progress of a generation, or of any if generation is empty. secret is nil if it does not exist. A
// published generation stays published, even if a later Pod failed.
func progressOf(generation string, secret *cluster.Secret) progress {
	if secret == nil {
		return pending
	}
	publishedBy, failedBy := secret.Annotation(contract.PublishedKey), secret.Annotation(contract.FailedKey)
	rendered := secret.Annotation(contract.GenerationKey)
	switch {
	case publishedBy != "" && (generation == "" || publishedBy == generation):
		return published
	case failedBy != "" && (generation == "" || failedBy == generation):
		return failed
	case generation != "" && rendered != "" && rendered != generation:
		return superseded
	default:
		return pending
	}
}

// checkKeys checks that a published Secret has all keys that are read.
func checkKeys(producer Producer, secret *cluster.Secret) error {
	for _, input := range producer.Inputs {
		if _, found := secret.Data[input.Output]; !found && input.Output != "" {
			return fmt.Errorf("secret %q of step %q is published but has no key %q: it must not be edited",
				producer.Secret.Name, producer.Step, input.Output)
		}
	}
	return nil
}
