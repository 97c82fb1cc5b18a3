package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
)

// uninterrupted is held while something is written that must be complete. Signals go to the process, so this is one
// for the process.
var uninterrupted sync.Mutex

// interruptible is what the first signal ends instead of the process, if there is something.
var interruptible atomic.Pointer[context.CancelCauseFunc]

// Interrupted is the cause of a context of Interruptible that a signal has ended.
type Interrupted struct{ Signal syscall.Signal }

func (i Interrupted) Error() string { return "interrupted: " + i.Signal.String() }

// ExitCode is that of a process that a signal has ended, as in shells.
func (i Interrupted) ExitCode() int { return 128 + int(i.Signal) }

// Interruptible returns a context that the first SIGINT or SIGTERM ends, with Interrupted as its cause, until stop is
// called. The second one ends the process as HandleSignals says, which must have been called.
func Interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	interruptible.Store(&cancel)
	return ctx, func() {
		interruptible.Store(nil)
		cancel(nil)
	}
}

// HandleSignals ends the process on SIGINT and SIGTERM, with 128 plus the number of the signal as its exit code, once
// no Uninterrupted work is running; cleanup is called before. A signal that the parent process set to be ignored stays
// ignored. A second signal ends the process at once.
func HandleSignals(cleanup func()) {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		s := <-signals
		number, _ := s.(syscall.Signal)
		if cancel := interruptible.Load(); cancel != nil {
			(*cancel)(Interrupted{number})
			<-signals
		}
		signal.Stop(signals)
		uninterrupted.Lock()
		cleanup()
		os.Exit(128 + int(number))
	}()
}

// Uninterrupted does work that a signal must not end halfway, so that a file is either the old or the new one. It must
// be short: the user waits for it.
func Uninterrupted(work func() error) error {
	uninterrupted.Lock()
	defer uninterrupted.Unlock()
	return work()
}
