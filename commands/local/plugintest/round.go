package plugintest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/container"
)

// round creates and deletes the sandbox of a case once, with its own fixtures, state and outputs.
type round struct {
	suite    *Suite
	test     *test
	testCase *v1alpha1.TestCase

	folder   string
	network  string             // empty without fixtures in containers
	program  *container.Program // created the network
	mark     string             // of the network and its containers: see localrun.NewMark
	fixtures []*fixture
	engine   *watched
	state    *localrun.State
	initial  []fixtureState // before the create phase
	// published are the outputs of both phases, for scripts.
	published map[v1alpha1.Phase]outputs
}

// errFixture is the reason why a round could not begin.
type errFixture struct {
	error
	logs []Log
}

// begin starts a round: its fixtures are ready. The round must be ended even after an error.
func (r *caseRun) begin(ctx context.Context) (*round, error) {
	l := &round{suite: r.suite, test: r.test, testCase: r.testCase, published: map[v1alpha1.Phase]outputs{}}
	var err error
	if l.folder, err = os.MkdirTemp(r.folder, "round-"); err != nil {
		return l, err
	}
	if l.state, err = localrun.OpenState(l.stateFolder()); err != nil {
		return l, err
	}
	if err := l.fixturesOf(ctx, r.folder); err != nil {
		return l, err
	}
	engine, err := r.suite.machine.Engine(ctx, l.network)
	if err != nil {
		return l, err
	}
	l.engine = &watched{Engine: engine, took: r.took}
	return l, nil
}

func (l *round) stateFolder() string { return filepath.Join(l.folder, "state") }

// end stops everything that the round has started, and removes its files.
func (l *round) end() error {
	var errs []error
	if l.engine != nil {
		errs = append(errs, l.engine.Close())
	}
	if !l.test.Spec.ShareFixtures {
		errs = append(errs, l.stopFixtures())
	}
	return errors.Join(append(errs, os.RemoveAll(l.folder))...)
}

// timeout limits a phase or a script of the test.
func (l *round) timeout() time.Duration { return seconds(l.test.Spec.TimeoutSeconds) }

func seconds(n int) time.Duration {
	if n == 0 {
		n = v1alpha1.DefaultTestTimeout
	}
	return time.Duration(n) * time.Second
}

// errTime is the cause of a timeout.
var errTime = errors.New("out of time")

// within returns a context that ends after a timeout.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w after %s (timeoutSeconds)", errTime, limit))
}

// run runs a phase. With again, every step runs, even if its outputs are published.
func (l *round) run(ctx context.Context, phase v1alpha1.Phase, again bool) *outcome {
	got := &outcome{}
	if len(l.test.plugin.Spec.Workflow(phase)) == 0 {
		return got
	}
	objects, err := l.render(phase)
	if err != nil {
		got.err = err
		return got
	}
	ctx, stop := within(ctx, l.timeout())
	defer stop()
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	l.engine.cancel = kill
	if l.engine.ordering != nil {
		l.engine.gate, l.engine.started = l.engine.ordering(l.test.plugin.Spec.Workflow(phase)), nil
	}
	running := map[string]bool{}
	report, err := localrun.Run(ctx, objects, localrun.Options{
		Engine: l.engine, State: l.state, Phase: phase, Rerun: again, Keep: l.keeps(phase),
		Observe: func(event localrun.Event) {
			switch event.State {
			case localrun.Running:
				running[event.Step] = true
			case localrun.Failed:
				if ctx.Err() == nil {
					delete(running, event.Step)
				}
			case localrun.Waiting, localrun.Done, localrun.Skipped:
				delete(running, event.Step)
			}
		},
	})
	got.err = err
	if report != nil {
		got.steps = report.Steps
	}
	got.running = slices.Sorted(maps.Keys(running))
	l.keep(phase, got)
	return got
}

// keeps returns the folder for the remains of failed steps of a phase; empty if the phase must fail.
func (l *round) keeps(phase v1alpha1.Phase) string {
	if l.testCase.Expectation(phase).Fails != nil {
		return ""
	}
	return l.suite.options.Keep
}

// keep adds the published outputs of a phase. Outputs of earlier runs stay, as in a cluster.
func (l *round) keep(phase v1alpha1.Phase, got *outcome) {
	if l.published[phase] == nil {
		l.published[phase] = outputs{}
	}
	maps.Copy(l.published[phase], got.outputs())
}

// maxKills limits the attempts to kill a step before it ends: it may be faster than measured.
const maxKills = 3

// kill runs the create phase and kills a step. It returns the result of the phase if it ended for another reason.
func (l *round) kill(ctx context.Context, step string, at killPoint) *outcome {
	l.engine.target, l.engine.killPoint = step, at
	defer func() { l.engine.target = "" }()
	for attempt := range maxKills {
		got := l.run(ctx, v1alpha1.PhaseCreate, attempt > 0)
		if errors.Is(got.err, errKilled) {
			break
		}
		if got.failed() {
			return got
		}
	}
	return &outcome{}
}

// snapshot saves the state, and returns a function that restores it.
func (l *round) snapshot() (restore func() error, err error) {
	kept, err := os.MkdirTemp(l.folder, "snapshot-")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(kept, os.DirFS(l.stateFolder())); err != nil {
		return nil, err
	}
	return func() error {
		if err := os.RemoveAll(l.stateFolder()); err != nil {
			return err
		}
		if err := os.CopyFS(l.stateFolder(), os.DirFS(kept)); err != nil {
			return err
		}
		l.state, err = localrun.OpenState(l.stateFolder())
		return err
	}, nil
}

// left returns the records of steps that remain in the state.
func (l *round) left() ([]string, error) {
	var files []string
	err := filepath.WalkDir(filepath.Join(l.stateFolder(), "steps"), func(_ string, entry os.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !entry.IsDir():
			files = append(files, strings.TrimSuffix(entry.Name(), ".json"))
		}
		return nil
	})
	return files, err
}
