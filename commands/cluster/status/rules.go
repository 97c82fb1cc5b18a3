package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
)

// rules determine the states of the tasks of a resource from their workloads and Secrets. Template implements the same rules
// for kubectl: change both together.
type rules struct {
	resource
	tasks   []*task
	secrets []*outputSecret
}

// steps returns the state of each task, and of each Secret whose step has no workload.
func (r *rules) steps() []Step {
	var steps []Step
	for _, t := range r.tasks {
		if t.Annotations[contract.PhaseKey] != "" {
			steps = append(steps, r.step(t))
		}
	}
	for _, s := range r.secrets {
		if s.phase() != "" && !r.hasWorkload(s) {
			steps = append(steps, Step{
				State: Missing, Step: r.path(s.Labels[contract.StepKey]), Namespace: s.Namespace, Object: unnamed,
				Detail: "has no Job of this render: apply the render",
			})
		}
	}
	for i := range steps {
		steps[i].Sandbox, steps[i].Resource = r.sandbox, r.name
	}
	return steps
}

func (r *rules) path(step string) string { return r.sandbox + "/" + r.name + "/" + step }

// step returns the state of a task.
func (r *rules) step(t *task) Step {
	s := Step{Step: r.path(t.step()), Namespace: t.Namespace}
	s.attach(t)
	isReady, problem := r.isReady(t)
	waitsFor, _ := r.inputs(t)
	switch {
	case isReady:
		s.State = Ready
	case t.End == engine.Complete:
		s.State = Stale
		s.Detail = fmt.Sprintf("complete, but %s; to run it again: kubectl delete -n %s %s, then apply", problem, t.Namespace,
			t.State.Object())
	case t.End == engine.Failed:
		s.State, s.Detail = Failed, t.Failure
	case t.isMissing:
		s.State, s.Detail = Missing, "does not exist: apply the render"
	case len(waitsFor) > 0:
		s.State, s.WaitsFor, s.Detail = InProgress, waitsFor, "waits for "+strings.Join(waitsFor, " ")
	default:
		s.State, s.Detail = InProgress, t.Now
	}
	return s
}

// isReady reports whether a task has done its work. If it has not although it is complete, problem is the reason.
func (r *rules) isReady(t *task) (isReady bool, problem string) {
	isComplete := t.End == engine.Complete
	switch {
	case t.output() != "":
		return r.hasPublished(t)
	case t.helper() == contract.HelperCopy:
		_, isCopied := r.inputs(t)
		return isComplete && isCopied, "a copy does not have the outputs of this render"
	case t.helper() == contract.HelperCleanup:
		return isComplete && !r.isAnyPublished(), "outputs have been published since"
	}
	return isComplete, ""
}

// hasPublished reports whether the Secret of a task has its outputs. In the delete phase, the cleanup deletes the Secrets of
// steps that have succeeded; if they are applied again, they stay empty.
func (r *rules) hasPublished(t *task) (isReady bool, problem string) {
	s := r.secret(t.output(), t.Namespace)
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

// cleanup reports whether the cleanup of the resource has started and is complete.
func (r *rules) cleanup() (hasStarted, isComplete bool) {
	for _, t := range r.tasks {
		if t.helper() == contract.HelperCleanup {
			hasStarted = hasStarted || t.HasStarted || t.End != ""
			isComplete = isComplete || t.End == engine.Complete
		}
	}
	return hasStarted, isComplete
}

func (r *rules) isAnyPublished() bool {
	return slices.ContainsFunc(r.secrets, func(s *outputSecret) bool { return s.published() != "" })
}

// inputs returns the steps whose outputs a task waits for, and whether all copies have the outputs of this render. A delete
// step reads the outputs that any render of the create phase has published.
func (r *rules) inputs(t *task) (waitsFor []string, isCopied bool) {
	isDelete, isCleanup := t.phase() == string(v1alpha1.PhaseDelete), t.helper() == contract.HelperCleanup
	isCopied = true
	for _, name := range t.inputs() {
		producer, isAvailable := name, false
		if s := r.secret(name, t.Namespace); s != nil {
			producer = cmp.Or(s.Labels[contract.StepKey], name)
			ofCreate := s.phase() == string(v1alpha1.PhaseCreate)
			isAvailable = s.isCurrent() || ofCreate && (isCleanup || isDelete && s.published() != "")
		}
		if !isAvailable {
			waitsFor = append(waitsFor, producer)
		}
		if to := t.copyTo(); to != "" {
			s := r.secret(name, to)
			isCopied = isCopied && s != nil && s.isCurrent()
		}
	}
	return waitsFor, isCopied
}

// secret returns the Secret with a name, or nil if it does not exist.
func (r *rules) secret(name, namespace string) *outputSecret {
	i := slices.IndexFunc(r.secrets, func(s *outputSecret) bool { return s.Name == name && s.Namespace == namespace })
	if i < 0 {
		return nil
	}
	return r.secrets[i]
}

// hasWorkload reports whether a task publishes or copies to a Secret. A Secret of the other phase needs no workload.
func (r *rules) hasWorkload(s *outputSecret) bool {
	return slices.ContainsFunc(r.tasks, func(t *task) bool {
		publishes := t.output() == s.Name && t.Namespace == s.Namespace
		copies := t.copyTo() == s.Namespace && slices.Contains(t.inputs(), s.Name)
		return t.phase() != s.phase() || publishes || copies
	})
}

// attach adds the fields that depend on the task, which exists or is only rendered.
func (s *Step) attach(t *task) {
	if s.Object = t.State.Object(); t.Name == unnamed {
		s.Object = unnamed
		return
	}
	s.task, s.Phase, s.Helper, s.Producers = t, t.phase(), t.helper(), t.dependsOn()
	if since := t.Since; !t.isMissing && !since.IsZero() {
		s.Since = &since
	}
}
