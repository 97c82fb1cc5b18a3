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
	failure
)

// state is how far the generation is, or any where it is empty. nil is a Secret that is not there. What is published
// stays published, whatever failed since.
func state(generation string, secret *cluster.Secret) progress {
	if secret == nil {
		return pending
	}
	stamp, failed := secret.Annotation(contract.PublishedKey), secret.Annotation(contract.FailedKey)
	switch {
	case stamp != "" && (generation == "" || stamp == generation):
		return published
	case failed != "" && (generation == "" || failed == generation):
		return failure
	default:
		return pending
	}
}

// complete checks that what is read of a published Secret is there.
func complete(producer Producer, secret *cluster.Secret) error {
	for _, input := range producer.Inputs {
		if _, found := secret.Data[input.Output]; !found {
			return fmt.Errorf("secret %q of step %q is stamped as published, but has no key %q: it must not be changed by "+
				"others", producer.Secret.Name, producer.Step, input.Output)
		}
	}
	return nil
}
