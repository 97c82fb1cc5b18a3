package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// refinement changes the states of steps by what Template does not know: other workloads of the resource that exist, and plans.
type refinement struct {
	*rules

	// existing are all tasks of the resource, those of other renders and of the other phase included.
	existing []*task
}

// refine changes the states of the steps of a resource.
func (r *refinement) refine(steps []Step) {
	for i := range steps {
		if s := &steps[i]; s.task != nil {
			r.block(s)
		}
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
		s.Detail = fmt.Sprintf("reads %s of create step %q, which never published; run the create phase again, or give this step up: "+
			"annotate the sandbox's document with %s: %s/%s", strings.Join(outputs, ", "), producer.Step, contract.SkipDeleteKey,
			t.Annotations[contract.ResourceKey], t.step())
		return
	}
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
