package status

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
)

// This file has the rules about Secrets: whether a step has published its outputs, and from which ones they were made.

// checkPublished checks the Secret of a task that has published: it must have all outputs, as far as its keys are known, and
// outputs that were made from the last publications of its producers. Keys for workloads are missing until the Job of a
// render with a new fork has added them.
func (r *rules) checkPublished(t *task) verdict {
	s := r.secret(t.output(), t.outputNamespace())
	if s == nil || s.published() != t.generation() {
		return verdict{isReady: true} // of a delete phase whose cleanup has removed it
	}
	var with []string
	if t.helper() == "" { // a copy writes its Secret again
		with = append(with, secretObject(s.Name))
	}
	if producer := r.replaced(t, s); producer != "" {
		return verdict{
			problem: "it has read outputs of " + producer + " that were replaced since", isFinal: true,
			with: append(with, r.following(t)...),
		}
	}
	key, lacks := s.lacksKey(t.outputKeys())
	if !lacks {
		return verdict{isReady: true}
	}
	return verdict{problem: fmt.Sprintf("its Secret does not have the key %q", key), with: with}
}

// replaced returns the first producer that has published again since a create step has read its outputs, or "". A producer
// without outputs has not: it is about to publish, and its own state says so.
func (r *rules) replaced(t *task, s *outputSecret) string {
	if t.phase() != string(v1alpha1.PhaseCreate) {
		return ""
	}
	for name, readKey := range t.reads() {
		producer := r.secret(name, t.Namespace)
		if producer != nil && producer.isCurrent() && producer.publication() != s.Annotations[readKey] {
			return cmp.Or(producer.Labels[contract.StepKey], name)
		}
	}
	return ""
}

// hasPublished reports whether the Secret of a task has its outputs. In the delete phase, the cleanup deletes the Secrets of
// steps that have succeeded; if they are applied again, they stay empty.
func (r *rules) hasPublished(t *task) (isReady bool, problem string) {
	s := r.secret(t.output(), t.outputNamespace())
	switch {
	case s == nil:
		problem = "its Secret does not exist"
	case s.published() == "":
		problem = "its Secret has no outputs"
	default:
		isReady, problem = s.published() == t.generation(), "its Secret has the outputs of another render"
	}
	if t.phase() == string(v1alpha1.PhaseDelete) {
		hasStarted, isComplete := r.cleanup()
		isReady = isReady || isComplete && !r.isAnyPublished() ||
			hasStarted && !isComplete && t.End == engine.Complete && s == nil
	}
	return isReady, problem
}

// hasJustFailed reports whether a task has recorded that it failed before its Job has. That is certain if a task that reads
// its outputs has failed during its life: the record may be that of an earlier Job.
func (r *rules) hasJustFailed(t *task) bool {
	s := r.secret(t.output(), t.outputNamespace())
	return s != nil && !t.isMissing && s.Annotations[contract.FailedKey] == t.generation() &&
		slices.ContainsFunc(r.tasks, func(reader *task) bool {
			return reader.End == engine.Failed && t.CreationTimestamp.Before(&reader.Since) && reader.Namespace == t.Namespace &&
				slices.Contains(reader.inputs(), t.output())
		})
}

func (r *rules) isAnyPublished() bool {
	return slices.ContainsFunc(r.secrets, func(s *outputSecret) bool { return s.published() != "" })
}

// producer returns the step whose Secret a task reads: by the Secret, by the task that publishes to it, or by the plan.
func (r *rules) producer(t *task, secret string) string {
	if s := r.secret(secret, t.Namespace); s != nil {
		return cmp.Or(s.step(), secret)
	}
	for _, other := range r.tasks {
		if other.output() == secret && other.Namespace == t.Namespace {
			return other.step()
		}
	}
	for i, producer := range t.Plan.Producers {
		if t.Secrets[contract.InputSecretKey(i)] == secret {
			return producer.Step
		}
	}
	return secret
}

// isCopyOf reports whether a copy has the last publication of the original, if there is one.
func (r *rules) isCopyOf(s, original *outputSecret) bool {
	return original == nil || !original.isCurrent() || original.publication() == s.publication()
}

// secret returns the Secret with a name, or nil if it does not exist.
func (r *rules) secret(name, namespace string) *outputSecret {
	i := slices.IndexFunc(r.secrets, func(s *outputSecret) bool { return s.Name == name && s.Namespace == namespace })
	if i < 0 {
		return nil
	}
	return r.secrets[i]
}

// removed returns the Secret of an OutputSecret that a cleanup removes, in any namespace.
func (r *rules) removed(t *task, name string) *outputSecret {
	for _, s := range r.secrets {
		if t.helper() == contract.HelperCleanup && s.Name == name && s.Labels[contract.HelperKey] == contract.HelperCopy {
			return s
		}
	}
	return nil
}

// hasWorkload reports whether a task publishes or copies to a Secret. A Secret of the other phase needs no workload.
func (r *rules) hasWorkload(s *outputSecret) bool {
	return slices.ContainsFunc(r.tasks, func(t *task) bool {
		copies := t.copyTo() == s.Namespace && slices.Contains(t.inputs(), s.Name)
		return t.phase() != s.phase() || t.publishesTo(s) || copies
	})
}
