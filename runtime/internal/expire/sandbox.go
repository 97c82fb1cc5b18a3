package expire

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// sandbox is one sandbox in a run.
type sandbox struct {
	Expirer

	sealing expiry.Sealing
	now     time.Time
	plan    expiry.Plan
	stored  object
	tasks   []task
}

// name names the sandbox in messages.
func (s *sandbox) name() string {
	if s.plan.ID == "" {
		return fmt.Sprintf("ConfigMap %q", s.sealing.Name)
	}
	return fmt.Sprintf("sandbox %q (id %s)", s.plan.Sandbox, s.plan.ID)
}

// run acts as far as possible now.
func (s *sandbox) run(ctx context.Context) error {
	if err := s.handle(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.name(), err)
	}
	return nil
}

func (s *sandbox) handle(ctx context.Context) error {
	exists, err := s.Client.Read(ctx, s.own(configMaps, s.sealing.Name), &s.stored)
	switch {
	case err != nil:
		return err
	case !exists || s.stored.Metadata.DeletionTimestamp != nil:
		s.logf("not there: it is being applied, or it was deleted by hand")
		return nil
	case s.sealing.IsAbsent:
		s.logf("its sandbox is marked absent: nothing expires")
		return s.finish(ctx)
	case len(s.stored.BinaryData[expiry.PlanKey]) == 0:
		s.logf("its sandbox has no ttl any more")
		return nil
	}
	if err := s.readPlan(); err != nil {
		return err
	}
	start := s.stored.start(s.plan.OffsetFrom)
	expires, problem := end(start, s.now, s.plan.Seconds)
	switch {
	case problem != "":
		s.logf("%s", problem)
		return nil
	case expires.After(s.now):
		s.logf("expires at %s", stamp(expires))
		return nil
	}
	s.logf("expired at %s", stamp(expires))
	return s.tearDown(ctx)
}

// readPlan reads the plan and checks that it is the one of the Role, and that its objects are of the sandbox.
func (s *sandbox) readPlan() error {
	reader, err := gzip.NewReader(bytes.NewReader(s.stored.BinaryData[expiry.PlanKey]))
	if err != nil {
		return fmt.Errorf("its plan must be compressed: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(reader, expiry.MaxPlan+1))
	switch {
	case err != nil:
		return fmt.Errorf("its plan must be complete: %w", err)
	case len(text) > expiry.MaxPlan:
		return fmt.Errorf("its plan must have at most %d MiB", expiry.MaxPlan>>20)
	case !s.sealing.Has(text):
		return errors.New("nothing is done, since its plan has another digest than its Role: apply what was rendered again")
	}
	if s.plan, err = parse(text); err != nil {
		return err
	}
	s.tasks, err = tasks(&s.plan, s.Namespace)
	return err
}

// tearDown runs the delete phase, and when it is complete, removes the rest.
func (s *sandbox) tearDown(ctx context.Context) error {
	missing, running, failed, err := s.states(ctx)
	switch {
	case err != nil:
		return err
	case missing+running+len(failed) == 0:
		return s.remove(ctx)
	case missing > 0:
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		text := "its teardown has failed, so nothing else is removed: " + strings.Join(failed, "; ") + ": fix the cause, and " +
			"delete the failed Jobs to run them again"
		return errors.Join(errors.New(text), s.record(ctx, text))
	}
	s.logf("its teardown runs: %d of %d Jobs are complete", s.jobs()-missing-running, s.jobs())
	return s.record(ctx, "expired: its teardown runs")
}

// states reads the Jobs of the delete phase: how many are missing or have not ended, and which have failed.
func (s *sandbox) states(ctx context.Context) (missing, running int, failed []string, err error) {
	for i := range s.tasks {
		t := &s.tasks[i]
		if t.ref.Kind != cluster.KindJob {
			continue
		}
		t.stored = object{}
		if t.exists, err = s.Client.Read(ctx, t.ref, &t.stored); err != nil {
			return 0, 0, nil, err
		}
		end := (&cluster.Job{Status: t.stored.Status}).End()
		switch {
		case !t.exists:
			missing++
		case end == "":
			running++
		case end != cluster.Complete:
			failed = append(failed, fmt.Sprintf("Job %q of %s %s", t.ref.Name, t.step, end))
		}
	}
	return missing, running, failed, nil
}

func (s *sandbox) jobs() (count int) {
	for _, t := range s.tasks {
		if t.ref.Kind == cluster.KindJob {
			count++
		}
	}
	return count
}

// start deletes the forks, and applies the Jobs that are missing. Jobs wait for each other, and for the Pods of the forks.
func (s *sandbox) start(ctx context.Context) error {
	for _, namespace := range s.plan.Forks {
		for _, of := range expiry.ForkKinds() {
			if err := s.Client.DeleteAll(ctx, kind(of), namespace, contract.SandboxIDKey+"="+s.plan.ID); err != nil {
				return err
			}
		}
	}
	for _, t := range s.tasks {
		if t.exists {
			continue
		}
		err := s.Client.Apply(ctx, cluster.Application{
			Object: t.ref, Manager: expiry.Helper, Body: t.body, IsOurs: func(cluster.Owners) bool { return false },
		})
		if err != nil {
			return err
		}
		s.logf("applied %s", t.ref)
	}
	return nil
}

// remove deletes everything of the sandbox. The Jobs of the delete phase prove that it is complete, so they stay until
// the ConfigMap is deleted, and go with it, as do the program's own rights.
func (s *sandbox) remove(ctx context.Context) error {
	if isAgain, err := s.isCreatedAgain(ctx); err != nil || isAgain {
		return err
	}
	for _, of := range s.plan.Remove {
		ref := cluster.Ref{Kind: kind(of.Kind), Namespace: of.Namespace, Name: of.Name}
		if err := s.Client.Delete(ctx, ref); err != nil && !s.hasLeft(of.Namespace, err) {
			return err
		}
	}
	for _, namespace := range s.plan.Roles {
		if err := s.leave(ctx, namespace); err != nil && !s.hasLeft(namespace, err) {
			return err
		}
	}
	if err := s.Client.DeleteAll(ctx, cluster.KindJob, s.Namespace, s.selector(createPhase)); err != nil {
		return err
	}
	s.logf("its teardown is complete: removed what it had in the cluster")
	return s.finish(ctx)
}

// isCreatedAgain reports whether a Job of the create phase is younger than one of the delete phase: its resources would
// leak. The teardown starts again then.
func (s *sandbox) isCreatedAgain(ctx context.Context) (bool, error) {
	created, err := s.Client.Selected(ctx, cluster.KindJob, s.Namespace, s.selector(createPhase))
	if err != nil {
		return false, err
	}
	var latest, earliest time.Time
	for _, item := range created.Items {
		if at := item.Metadata.CreationTimestamp; at.After(latest) {
			latest = at
		}
	}
	for _, t := range s.tasks {
		if at := t.stored.Metadata.CreationTimestamp; t.ref.Kind == cluster.KindJob && (earliest.IsZero() || at.Before(earliest)) {
			earliest = at
		}
	}
	if latest.Before(earliest) { // times have no fractions of seconds
		return false, nil
	}
	s.logf("it was created again at %s, after its teardown started: the teardown starts again", stamp(latest))
	for _, t := range s.tasks {
		if t.ref.Kind != cluster.KindJob {
			continue
		}
		if err := s.Client.Delete(ctx, t.ref); err != nil {
			return true, err
		}
	}
	return true, nil
}

// The values of the label contract.PhaseKey.
const createPhase = "create"

func (s *sandbox) selector(phase string) string {
	return contract.SandboxIDKey + "=" + s.plan.ID + "," + contract.PhaseKey + "=" + phase
}

// leave deletes the program's Role in another namespace. Its binding goes with it: when one of them is gone, the
// account has no right to delete the other.
func (s *sandbox) leave(ctx context.Context, namespace string) error {
	role := cluster.Ref{Kind: roles, Namespace: namespace, Name: s.sealing.Name}
	var stored object
	exists, err := s.Client.Read(ctx, role, &stored)
	if err != nil || !exists {
		return err
	}
	binding := role
	binding.Kind = roleBindings
	owner := cluster.Owner{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role", Name: role.Name, UID: stored.Metadata.UID}
	if err := s.adopt(ctx, binding, owner); err != nil {
		return err
	}
	return s.Client.Delete(ctx, role)
}

// hasLeft reports whether a failure is that the account has no rights in another namespace any more: an earlier run has
// left it.
func (s *sandbox) hasLeft(namespace string, err error) bool {
	return namespace != s.Namespace && isForbidden(err)
}

// finish deletes the ConfigMap, and with it the Jobs of the delete phase and the program's rights.
func (s *sandbox) finish(ctx context.Context) error {
	owner := cluster.Owner{APIVersion: "v1", Kind: "ConfigMap", Name: s.sealing.Name, UID: s.stored.Metadata.UID}
	var owned []cluster.Ref
	for _, t := range s.tasks {
		if t.ref.Kind == cluster.KindJob {
			owned = append(owned, t.ref)
		}
	}
	owned = append(owned, s.own(roles, s.sealing.Name), s.own(roleBindings, s.sealing.Name))
	for _, ref := range owned {
		if err := s.adopt(ctx, ref, owner); err != nil {
			return err
		}
	}
	return s.Client.Delete(ctx, s.own(configMaps, s.sealing.Name))
}

// record writes a state to the ConfigMap, unless it is there.
func (s *sandbox) record(ctx context.Context, state string) error {
	if s.stored.Metadata.Annotations[expiry.StateKey] == state {
		return nil
	}
	ref := s.own(configMaps, s.sealing.Name)
	return s.Client.Update(ctx, ref, func(*cluster.Secret) (*cluster.Patch, error) {
		return &cluster.Patch{Annotations: map[string]*string{expiry.StateKey: &state}}, nil
	})
}
