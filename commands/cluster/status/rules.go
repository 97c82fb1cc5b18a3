package status

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
)

// rules determine the states of the tasks of a resource from their workloads and Secrets. Template implements the same rules
// for kubectl, except for those that compare times: change both together.
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
				State: Missing, Step: r.path(s.step()), Namespace: s.Namespace, Object: unnamed,
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
	v := r.verdict(t)
	waitsFor, _ := r.inputs(t)
	switch {
	case v.isReady:
		s.State = Ready
	case v.isFinal || t.End == engine.Complete:
		s.State = Stale
		s.Detail = "complete, but " + v.problem + "; " + runAgain(t, v.with...)
	case t.End == engine.Failed:
		s.State, s.Detail = Failed, t.Failure
	case r.hasJustFailed(t):
		s.State, s.Detail = Failed, "its last Pod has failed; see kubectl logs -n "+t.Namespace+" "+t.Object()+" --all-containers"
	case t.isMissing:
		s.State, s.Detail = Missing, "does not exist: apply the render"
	case len(waitsFor) > 0:
		s.State, s.WaitsFor, s.Detail = InProgress, waitsFor, "waits for "+strings.Join(waitsFor, " ")
	default:
		s.State, s.Detail = InProgress, t.Now
	}
	return s
}

// verdict says whether a task has done its work.
type verdict struct {
	isReady bool
	// problem is the reason why a complete task has not done its work.
	problem string
	// with are the objects that must be deleted with the workload so that the task runs again: a published step does not.
	with []string
	// isFinal is set if the workload cannot change that, whether it exists or not.
	isFinal bool
}

// verdict returns whether a task has done its work.
func (r *rules) verdict(t *task) verdict {
	isComplete := t.End == engine.Complete
	switch {
	case t.output() != "":
		v := verdict{}
		if v.isReady, v.problem = r.hasPublished(t); v.isReady {
			return r.checkPublished(t)
		}
		return v
	case t.helper() == contract.HelperCopy:
		_, isCopied := r.inputs(t)
		return verdict{isReady: isComplete && isCopied, problem: "a copy does not have the outputs of this render"}
	case t.helper() == contract.HelperCleanup:
		return verdict{isReady: isComplete && !r.isAnyPublished(), problem: "outputs have been published since"}
	}
	return verdict{isReady: isComplete}
}

// following returns the objects of the tasks that read, directly or not, the outputs of a task, without those of the task.
func (r *rules) following(t *task) (objects []string) {
	seen := map[*task]bool{t: true}
	add := func(more ...string) {
		for _, object := range more {
			if !slices.Contains(objects, object) && !slices.Contains(t.objects(), object) {
				objects = append(objects, object)
			}
		}
	}
	for queue := []*task{t}; len(queue) > 0; queue = queue[1:] {
		for _, reader := range r.tasks {
			isReader := queue[0].output() != "" && reader.Namespace == t.Namespace && reader.phase() == t.phase() &&
				slices.Contains(reader.inputs(), queue[0].output())
			if !isReader || seen[reader] {
				continue
			}
			seen[reader] = true
			queue = append(queue, reader)
			add(reader.objects()...)
			if s := r.secret(reader.output(), t.Namespace); s != nil {
				add(secretObject(s.Name))
			}
		}
	}
	return objects
}

func secretObject(name string) string { return "secret/" + name }

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

// inputs returns the steps whose outputs a task waits for, and whether all copies have the outputs of this render. A delete
// step reads the outputs that any render of the create phase has published.
func (r *rules) inputs(t *task) (waitsFor []string, isCopied bool) {
	isDelete, isCleanup := t.phase() == string(v1alpha1.PhaseDelete), t.helper() == contract.HelperCleanup
	isCopied = true
	for _, name := range t.inputs() {
		isAvailable := false
		if s := cmp.Or(r.secret(name, t.Namespace), r.removed(t, name)); s != nil {
			ofCreate := s.phase() == string(v1alpha1.PhaseCreate)
			isAvailable = s.isCurrent() || ofCreate && (isCleanup || isDelete && s.published() != "")
		}
		if !isAvailable {
			waitsFor = append(waitsFor, r.producer(t, name))
		}
		if to := t.copyTo(); to != "" {
			s := r.secret(name, to)
			isCopied = isCopied && s != nil && s.isCurrent() && r.isCopyOf(s, r.secret(name, t.Namespace))
			if isCopied {
				_, lacks := s.lacksKey(t.copiedKeys(name))
				isCopied = !lacks
			}
		}
	}
	return waitsFor, isCopied
}

// attach adds the fields that depend on the task, which exists or is only rendered.
func (s *Step) attach(t *task) {
	if s.Object = t.Object(); t.Name == unnamed {
		s.Object = unnamed
		return
	}
	s.task, s.Phase, s.Helper, s.Producers = t, t.phase(), t.helper(), t.dependsOn()
	if since := t.Since; !t.isMissing && !since.IsZero() {
		s.Since = &since
	}
}
