package plugintest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// caseRun runs a case.
type caseRun struct {
	suite    *Suite
	test     *test
	testCase *v1alpha1.TestCase
	folder   string
	took     map[string]time.Duration // by step

	checks []Check
	// got are the outputs of the first round, which --update writes.
	got map[v1alpha1.Phase]outputs
	// remaining are messages about steps of the first round whose processes were still running behind them.
	remaining []string
	// unwatched are steps of the first round of which the engine cannot find out.
	unwatched []string
}

// observe reports a change of the case.
func (r *caseRun) observe(state localrun.StepState, message string) {
	r.suite.mu.Lock()
	defer r.suite.mu.Unlock()
	if r.suite.options.Observe != nil {
		r.suite.options.Observe(localrun.Event{Resource: r.test.Name, Step: r.testCase.Name, State: state, Message: message})
	}
}

// all runs the rounds of the case, and reports its result.
func (r *caseRun) all(ctx context.Context) {
	if r.test.Spec.ShareFixtures {
		r.test.shared.Lock()
		defer r.test.shared.Unlock()
	}
	r.lives(ctx)
	var failed []string
	for _, check := range r.checks {
		if check.Result == Failed {
			failed = append(failed, check.ID)
		}
	}
	switch {
	case ctx.Err() != nil:
		r.observe(localrun.Failed, context.Cause(ctx).Error())
	case len(failed) > 0:
		r.observe(localrun.Failed, strings.Join(failed, ", "))
	default:
		r.observe(localrun.Done, "")
	}
}

func (r *caseRun) lives(ctx context.Context) {
	why := r.first(ctx)
	unknown := why
	if why == createFails { // and steps in front of the one that fails have run
		unknown = ""
	}
	if unknown == "" && len(r.remaining) == 0 && len(r.unwatched) > 0 {
		unknown = "without outputs and inputs of other steps, it is not known in a container: " + strings.Join(r.unwatched, ", ")
	}
	r.builtin(ctx, v1alpha1.CheckProcessesEnd, unknown, func() ([]string, []Log) { return r.remaining, nil })
	unordered := why
	if spec := &r.test.plugin.Spec; why == "" && !hasIndependent(spec.Create) && !hasIndependent(spec.Delete) {
		unordered = noIndependent
	}
	r.builtin(ctx, v1alpha1.CheckAnyOrder, unordered, func() ([]string, []Log) { return r.anyOrder(ctx) })
	r.builtin(ctx, v1alpha1.CheckCreateAfterKill, why, func() ([]string, []Log) { return r.eachKill(ctx, r.createAfterKill) })
	switch {
	case why != "":
	case len(r.test.plugin.Spec.Delete) == 0:
		why = noDelete
	case r.testCase.Delete.Fails != nil:
		why = deleteFails
	}
	r.builtin(ctx, v1alpha1.CheckDeleteAfterHalfCreate, why, func() ([]string, []Log) {
		return r.eachKill(ctx, r.deleteAfterHalf)
	})
}

// Reasons why checks are skipped.
const (
	noDelete    = "the plugin has no delete phase"
	createFails = "the create phase must fail"
	deleteFails = "the delete phase must fail"
)

// add adds a check, unless its result is only that the tests are being stopped.
func (r *caseRun) add(ctx context.Context, id string, messages []string, logs []Log) {
	if ctx.Err() != nil {
		return
	}
	check := Check{Test: r.test.Name, Case: r.testCase.Name, ID: id, Result: Passed, Messages: messages, Logs: logs}
	if len(messages) > 0 {
		check.Result = Failed
	} else {
		check.Logs = nil
	}
	r.checks = append(r.checks, check)
}

func (r *caseRun) skip(ctx context.Context, id, why string) {
	if ctx.Err() != nil {
		return
	}
	check := Check{Test: r.test.Name, Case: r.testCase.Name, ID: id, Result: Skipped, Messages: []string{why}}
	r.checks = append(r.checks, check)
}

const skippedByTest = "the test skips it (spec.skip)"

// builtin runs a built-in check, unless the test skips it or there is a reason why it cannot run.
func (r *caseRun) builtin(ctx context.Context, id, why string, do func() ([]string, []Log)) (passed bool) {
	switch {
	case slices.Contains(r.test.Spec.Skip, id):
		r.skip(ctx, id, skippedByTest)
	case why != "":
		r.skip(ctx, id, why)
	case ctx.Err() == nil:
		r.observe(localrun.Running, id)
		messages, logs := do()
		r.add(ctx, id, messages, logs)
		return len(messages) == 0
	}
	return false
}

// first runs the round that the case describes. It returns the reason why steps cannot be killed in further rounds, or "".
func (r *caseRun) first(ctx context.Context) (why string) {
	r.observe(localrun.Running, CheckCreate)
	l, err := r.begin(ctx)
	defer r.end(l)
	if err != nil {
		r.add(ctx, CheckCreate, []string{err.Error()}, logsOf(err))
		return "the create phase did not run"
	}
	r.got = l.published
	if l.initial, err = l.fixtureStates(ctx); err != nil {
		r.add(ctx, CheckCreate, []string{err.Error()}, nil)
		return "the create phase did not run"
	}
	created := l.run(ctx, v1alpha1.PhaseCreate, false)
	r.remaining, r.unwatched = created.remaining(), created.unwatched()
	messages := compare(&r.testCase.Create, created)
	r.add(ctx, CheckCreate, messages, created.logs())
	r.script(ctx, l, v1alpha1.PhaseCreate, CheckCreateScript, len(messages) == 0)
	switch {
	case len(messages) > 0 && created.failed():
		why = "the create phase failed"
	case r.testCase.Create.Fails != nil:
		why = createFails
	}
	restore, err := l.snapshot()
	if err != nil {
		r.add(ctx, CheckDelete, []string{err.Error()}, nil)
		return "the create phase did not run"
	}
	twice := func() ([]string, []Log) { return r.createTwice(ctx, l, created.outputs()) }
	if !r.builtin(ctx, v1alpha1.CheckCreateTwice, why, twice) {
		if err := restore(); err != nil {
			r.add(ctx, CheckDelete, []string{err.Error()}, nil)
			return "the create phase did not run"
		}
	}
	r.delete(ctx, l, why)
	return why
}

// createTwice runs the create phase again.
func (r *caseRun) createTwice(ctx context.Context, l *round, first outputs) ([]string, []Log) {
	before, err := l.fixtureStates(ctx)
	if err != nil {
		return []string{err.Error()}, nil
	}
	second := l.run(ctx, v1alpha1.PhaseCreate, true)
	messages, logs := second.failures(), second.logs()
	if len(messages) == 0 {
		messages = sameOutputs(first, second.outputs())
		more, of := l.sameStates(ctx, before)
		messages, logs = append(messages, more...), append(logs, of...)
	}
	if len(messages) == 0 && r.testCase.Create.Check != "" {
		messages, logs = l.check(ctx, v1alpha1.PhaseCreate)
	}
	return messages, logs
}

// delete runs the delete phase twice.
func (r *caseRun) delete(ctx context.Context, l *round, why string) {
	r.observe(localrun.Running, CheckDelete)
	restore, err := l.snapshot()
	deleted := l.run(ctx, v1alpha1.PhaseDelete, false)
	r.remaining, r.unwatched = append(r.remaining, deleted.remaining()...), append(r.unwatched, deleted.unwatched()...)
	if why == "the create phase failed" { // best effort: the create phase is incomplete
		r.skip(ctx, CheckDelete, why)
		return
	}
	messages := compare(&r.testCase.Delete, deleted)
	r.add(ctx, CheckDelete, messages, deleted.logs())
	r.script(ctx, l, v1alpha1.PhaseDelete, CheckDeleteScript, len(messages) == 0)
	switch {
	case err != nil:
		why = err.Error()
	case len(r.test.plugin.Spec.Delete) == 0:
		why = noDelete
	case deleted.failed():
		why = "the delete phase failed"
	default:
		why = ""
	}
	if r.builtin(ctx, v1alpha1.CheckNothingLeft, why, func() ([]string, []Log) { return l.nothingLeft(ctx) }) {
		if last := &r.checks[len(r.checks)-1]; last.ID == v1alpha1.CheckNothingLeft { // the tests are not being stopped
			last.Note = l.looksAt()
		}
	}
	r.builtin(ctx, v1alpha1.CheckDeleteTwice, why, func() ([]string, []Log) {
		before, err := l.fixtureStates(ctx)
		if err == nil {
			err = restore()
		}
		if err != nil {
			return []string{err.Error()}, nil
		}
		if messages, logs := l.deletes(ctx); len(messages) > 0 {
			return messages, logs
		}
		return l.sameStates(ctx, before)
	})
}

// deletes runs the delete phase, which must succeed, and its check script.
func (l *round) deletes(ctx context.Context) ([]string, []Log) {
	again := l.run(ctx, v1alpha1.PhaseDelete, true)
	if messages := again.failures(); len(messages) > 0 {
		return messages, again.logs()
	}
	if l.testCase.Delete.Check == "" {
		return nil, nil
	}
	return l.check(ctx, v1alpha1.PhaseDelete)
}

// script runs the check script of a phase, if the case has one.
func (r *caseRun) script(ctx context.Context, l *round, phase v1alpha1.Phase, id string, met bool) {
	switch {
	case r.testCase.Expectation(phase).Check == "" || ctx.Err() != nil:
	case !met:
		r.skip(ctx, id, fmt.Sprintf("the %s phase was not as expected", phase))
	default:
		messages, logs := l.check(ctx, phase)
		r.add(ctx, id, messages, logs)
	}
}

func logsOf(err error) []Log {
	var failed errFixture
	if errors.As(err, &failed) {
		return failed.logs
	}
	return nil
}

// end ends a round. The case fails if an object cannot be removed.
func (r *caseRun) end(l *round) {
	if err := l.end(); err != nil {
		r.add(context.Background(), "end", []string{err.Error()}, nil)
	}
}
