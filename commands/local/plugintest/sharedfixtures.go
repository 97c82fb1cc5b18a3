package plugintest

import (
	"context"
	"os"
	"sync"
)

// sharedFixtures are the fixtures of a test with shareFixtures. The lock is held by the case that runs.
type sharedFixtures struct {
	sync.Mutex

	owner *round // started them; nil before the first round
	err   error  // why they cannot be used
}

// fixturesOf starts the fixtures of a round, or takes those that the cases of the test share. Files of shared fixtures are
// in folder, since a round removes its own.
func (l *round) fixturesOf(ctx context.Context, folder string) error {
	if !l.test.Spec.ShareFixtures {
		return l.startFixtures(ctx)
	}
	shared := &l.test.shared
	if shared.owner == nil {
		shared.owner = &round{suite: l.suite, test: l.test}
		if shared.owner.folder, shared.err = os.MkdirTemp(folder, "shared-"); shared.err == nil {
			shared.err = shared.owner.startFixtures(ctx)
		}
	}
	l.fixtures, l.network, l.program = shared.owner.fixtures, shared.owner.network, shared.owner.program
	return shared.err
}

// stop stops the fixtures after the last case.
func (s *sharedFixtures) stop() error {
	if s.owner == nil {
		return nil
	}
	return s.owner.stopFixtures()
}
