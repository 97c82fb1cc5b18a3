package plugintest

import (
	"context"
	"fmt"
	"path/filepath"
)

// fixtureState is the output of the command `state` of a fixture.
type fixtureState struct {
	text   string // the last part
	digest string // of all
}

// fixtureStates runs the commands `state` of the fixtures. The states of fixtures without one are empty.
func (l *round) fixtureStates(ctx context.Context) ([]fixtureState, error) {
	states := make([]fixtureState, len(l.fixtures))
	for i, f := range l.fixtures {
		if len(f.State) == 0 {
			continue
		}
		limited, stop := within(ctx, l.timeout())
		state, err := l.fixtureState(limited, f)
		stop()
		if err != nil {
			return nil, fmt.Errorf("fixture %q: its state cannot be read: %w", f.Name, err)
		}
		states[i] = state
	}
	return states, nil
}

func (l *round) fixtureState(ctx context.Context, f *fixture) (fixtureState, error) {
	if f.container != nil {
		text, err := f.container.program.Run(ctx, nil, append([]string{"exec", f.container.name}, f.State...)...)
		return fixtureState{text, text}, err
	}
	from, err := filepath.Abs(l.test.folder)
	if err != nil {
		return fixtureState{}, err
	}
	run, err := startProcess(f.own, f.environment, program(f.State, from))
	if err != nil {
		return fixtureState{}, err
	}
	defer run.stop()
	select {
	case <-run.ended:
		return fixtureState{run.output.String(), run.output.sum()}, run.err
	case <-ctx.Done():
		return fixtureState{}, context.Cause(ctx)
	}
}

// sameStates compares the states of the fixtures with those before a phase that ran a second time.
func (l *round) sameStates(ctx context.Context, before []fixtureState) (messages []string, logs []Log) {
	after, err := l.fixtureStates(ctx)
	if err != nil {
		return []string{err.Error()}, nil
	}
	for i, f := range l.fixtures {
		if before[i].digest == after[i].digest {
			continue
		}
		messages = append(messages, fmt.Sprintf("fixture %q: its state must stay the same when the phase runs again", f.Name))
		logs = append(logs, logOf("the state before", before[i].text)...)
		logs = append(logs, logOf("the state after", after[i].text)...)
	}
	return messages, logs
}
