package plugintest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// eachKill runs a check in a new round for each step of the create phase and each kill point.
func (r *caseRun) eachKill(
	ctx context.Context, do func(context.Context, *round, string) ([]string, []Log),
) ([]string, []Log) {
	var messages []string
	var logs []Log
	for i := range r.test.plugin.Spec.Create {
		if ctx.Err() != nil {
			break
		}
		l, err := r.begin(ctx)
		if err != nil {
			messages, logs = append(messages, err.Error()), append(logs, logsOf(err)...)
		} else {
			more, of := do(ctx, l, r.test.plugin.Spec.Create[i].Name)
			messages, logs = append(messages, more...), append(logs, of...)
		}
		r.end(l)
	}
	return messages, logs
}

// createAfterKill kills a step of the create phase, and runs the phase again.
func (r *caseRun) createAfterKill(ctx context.Context, l *round, step string) ([]string, []Log) {
	var killed []string
	for _, at := range killPoints {
		got := l.kill(ctx, step, at)
		if messages := got.failures(); len(messages) > 0 {
			return after(step, killed, messages), got.logs()
		}
		killed = append(killed, string(at))
	}
	got := l.run(ctx, v1alpha1.PhaseCreate, false)
	messages, logs := compare(&r.testCase.Create, got), got.logs()
	if len(messages) == 0 && r.testCase.Create.Check != "" {
		messages, logs = l.check(ctx, v1alpha1.PhaseCreate)
	}
	if len(messages) > 0 || r.testCase.Delete.Fails != nil {
		return after(step, killed, messages), logs
	}
	messages, logs = l.deletes(ctx)
	return after(step, append(killed, "the create phase ran again"), messages), logs
}

// deleteAfterHalf kills a step of the create phase, and runs the delete phase. The test may say that the create phase must
// run again before.
func (r *caseRun) deleteAfterHalf(ctx context.Context, l *round, step string) ([]string, []Log) {
	for _, at := range killPoints {
		l.kill(ctx, step, at) // a create phase that fails is also incomplete
		if r.test.Spec.CreateBeforeDelete {
			again := l.run(ctx, v1alpha1.PhaseCreate, false)
			if messages := again.failures(); len(messages) > 0 {
				return after(step, []string{string(at)}, messages), again.logs()
			}
		}
		if messages, logs := l.deletes(ctx); len(messages) > 0 {
			if !r.test.Spec.CreateBeforeDelete && readsCreate(&r.test.plugin.Spec) {
				messages = append(messages, wayOut)
			}
			return after(step, []string{string(at)}, messages), logs
		}
	}
	return nil, nil
}

// wayOut is the advice about a delete step that reads an output of a create step which may never be published.
const wayOut = "a delete step reads an output of a create step: derive the value from SIGNADOT_SANDBOX_ID instead, or set " +
	"spec.createBeforeDelete in the test if such a sandbox is always created again before it is deleted. Otherwise its " +
	"teardown is blocked until the create phase runs again, or the sandbox's document gives the step up with the annotation " +
	contract.SkipDeleteKey

// readsCreate reports whether a delete step reads an output of a create step.
func readsCreate(plugin *v1alpha1.ResourcePluginSpec) bool {
	for _, step := range plugin.Delete {
		for _, in := range step.Inputs {
			isCreate := func(s v1alpha1.Step) bool { return in.ValueFromStep != nil && s.Name == in.ValueFromStep.Name }
			if slices.ContainsFunc(plugin.Create, isCreate) {
				return true
			}
		}
	}
	return false
}

// after adds to messages how a step was killed before.
func after(step string, killed, messages []string) []string {
	told := make([]string, len(messages))
	for i, message := range messages {
		told[i] = message
		if len(killed) > 0 {
			told[i] = fmt.Sprintf("after step %q was killed %s: %s", step, strings.Join(killed, " and "), message)
		}
	}
	return told
}
