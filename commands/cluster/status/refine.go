package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// refinement changes the states of steps by facts that Template does not know: other existing workloads of the
// resource, and plans.
type refinement struct {
	*rules

	// existing are all tasks of the resource, those of other renders and of the other phase included.
	existing []*task
}

// refine changes the states of the steps of a resource.
func (r *refinement) refine(steps []Step) {
	for i := range steps {
		if s := &steps[i]; s.task != nil {
			r.explainForks(s)
			r.block(s)
			r.supersede(s)
			r.forget(s)
		}
	}
}

// explainForks sets the detail of the helper that runs before the delete steps.
func (r *refinement) explainForks(s *Step) {
	if t := s.task; t.helper() == contract.HelperForks && s.State == InProgress && t.HasStarted {
		s.Detail = "waits until no Pod of the sandbox's forks is left; see kubectl logs -n " + t.Namespace + " " + t.Object()
	}
}

// block sets the state of a delete step that reads outputs which no step publishes any more: it waits or has failed, and
// no workload of the create step is active.
func (r *refinement) block(s *Step) {
	t := s.task
	hasEnded := s.State == Failed
	if t.phase() != string(v1alpha1.PhaseDelete) || t.helper() != "" || !hasEnded && s.State != InProgress {
		return
	}
	for i, producer := range t.Plan.Producers {
		name := t.Secrets[contract.InputSecretKey(i)]
		secret := r.secret(name, t.Namespace)
		isUnpublished := secret == nil && hasEnded || secret != nil && secret.published() == ""
		if producer.Generation != "" || len(producer.Inputs) == 0 || !isUnpublished || r.isBeingCreated(name, t.Namespace) {
			continue
		}
		var outputs []string
		for _, input := range producer.Inputs {
			if quoted := strconv.Quote(input.Output); !slices.Contains(outputs, quoted) {
				outputs = append(outputs, quoted)
			}
		}
		s.State, s.WaitsFor = Blocked, nil
		s.Detail = fmt.Sprintf("reads %s of create step %q, which never published; run the create phase again, or give this "+
			"step up: annotate the sandbox's document with %s: %s/%s", strings.Join(outputs, ", "), producer.Step,
			contract.SkipDeleteKey, t.Annotations[contract.ResourceKey], t.step())
		return
	}
}

// supersede sets the state of a complete step without a record: another workload of the step, or of the other phase,
// that had not ended when the workload of the step was created may have changed the result of the step.
func (r *refinement) supersede(s *Step) {
	t := s.task
	if s.State != Ready || t.isMissing || t.output() != "" || t.helper() != "" {
		return
	}
	for _, other := range r.existing {
		isSame := other.phase() == t.phase()
		isOther := other.identity() != t.identity() && (!isSame || other.part() == t.part())
		if !isOther || other.helper() != "" || other.CreationTimestamp.IsZero() ||
			other.End != "" && !t.CreationTimestamp.Before(&other.Since) {
			continue
		}
		why := "of another render may have run since"
		if !isSame {
			why = "of the " + other.phase() + " phase may have run since"
		}
		s.State = Stale
		s.Detail = "complete, but " + other.Object() + " " + why + "; " + runAgain(t)
		return
	}
}

// forget sets the state of a step whose workload may have been removed after its end. Only a Secret would tell.
func (r *refinement) forget(s *Step) {
	t := s.task
	if s.State != Missing || !t.isMissing {
		return
	}
	if waitsFor, isCopied := r.inputs(t); t.helper() == contract.HelperCopy && isCopied && len(waitsFor) == 0 {
		s.State, s.Detail = Ready, ""
		return
	}
	if t.TTLSeconds == nil || t.output() != "" && r.secret(t.output(), t.outputNamespace()) != nil {
		return
	}
	s.State = Unknown
	s.Detail = "does not exist, and may have been removed after its end (ttlSecondsAfterFinished), so whether it has run " +
		"cannot be known; applying the render runs it again"
}

// isBeingCreated reports whether a workload may still publish to a Secret.
func (r *refinement) isBeingCreated(secret, namespace string) bool {
	return slices.ContainsFunc(r.existing, func(t *task) bool {
		return t.output() == secret && t.Namespace == namespace && t.End == "" && t.DeletionTimestamp == nil
	})
}

// existing returns the tasks that exist, by resource.
func (o *Objects) existing() map[resource][]*task {
	all, seen := map[resource][]*task{}, map[identity]bool{}
	tasks := o.tasks()
	for _, t := range tasks {
		seen[t.identity()] = true
	}
	if o.history != nil {
		tasks = append(tasks, slices.DeleteFunc(o.history.tasks(), func(t *task) bool { return seen[t.identity()] })...)
	}
	for _, t := range tasks {
		key := resource{t.Labels[contract.SandboxIDKey], t.Labels[contract.SandboxKey], t.Labels[contract.ResourceKey]}
		all[key] = append(all[key], t)
	}
	return all
}
