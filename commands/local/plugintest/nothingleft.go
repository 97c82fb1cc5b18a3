package plugintest

import (
	"context"
	"fmt"
	"strings"
)

// nothingLeft reports all that remains after the delete phase: outputs, and in fixtures with a `state` anything that they
// did not hold before the create phase.
func (l *round) nothingLeft(ctx context.Context) (messages []string, logs []Log) {
	left, err := l.left()
	if err != nil {
		return []string{err.Error()}, nil
	}
	for _, record := range left {
		messages = append(messages, fmt.Sprintf("the delete phase must remove what steps published: %q is left", record))
	}
	after, err := l.fixtureStates(ctx)
	if err != nil {
		return append(messages, err.Error()), nil
	}
	for i, f := range l.fixtures {
		if l.initial[i].digest != after[i].digest {
			messages = append(messages, fmt.Sprintf("fixture %q: its state must be that before the create phase", f.Name))
			logs = append(logs, logOf("the state before the create phase", l.initial[i].text)...)
			logs = append(logs, logOf("the state after the delete phase", after[i].text)...)
		}
	}
	return messages, logs
}

// looksAt describes the scope of nothingLeft: only the test can know the rest.
func (l *round) looksAt() string {
	var fixtures []string
	for _, f := range l.fixtures {
		if len(f.State) > 0 {
			fixtures = append(fixtures, f.Name)
		}
	}
	switch {
	case len(fixtures) > 0:
		return "outputs, and the state of " + strings.Join(fixtures, ", ")
	case l.testCase.Delete.Check != "":
		return "outputs; the rest is for delete-check"
	}
	return "outputs only; a check of delete, or the state of a fixture, finds what else is left"
}
