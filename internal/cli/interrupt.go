package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
)

// Interrupted is the cause of a context of Interruptible that a signal has ended.
type Interrupted struct{ Signal syscall.Signal }

func (i Interrupted) Error() string { return "interrupted: " + i.Signal.String() }

// ExitCode is that of a process that a signal has ended, as in shells.
func (i Interrupted) ExitCode() int { return 128 + int(i.Signal) }

// signals is the state of a process that handles signals. Its context carries it to functions that write files or clean
// up.
type signals struct {
	writing atomicfile.Guard
	// cancel ends a context of Interruptible on the first signal; nil if the signal ends the process.
	cancel atomic.Pointer[context.CancelCauseFunc]
}

type signalsKey struct{}

// Interruptible returns a context that the first SIGINT or SIGTERM ends, with Interrupted as its cause, until stop is
// called. The second one ends the process as HandleSignals describes. The parent must be the context of HandleSignals, or
// derived from it.
func Interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	s, handled := parent.Value(signalsKey{}).(*signals)
	if !handled {
		return ctx, func() { cancel(nil) }
	}
	s.cancel.Store(&cancel)
	return ctx, func() {
		s.cancel.Store(nil)
		cancel(nil)
	}
}

// HandleSignals ends the process on SIGINT and SIGTERM, with 128 plus the number of the signal as its exit code, once no
// file is being written with the context that it returns; cleanup is called before. A signal that the parent process set to
// be ignored stays ignored. A second signal ends the process at once.
func HandleSignals(cleanup func()) context.Context {
	s := &signals{}
	received := make(chan os.Signal, 1)
	for _, one := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(one) {
			signal.Notify(received, one)
		}
	}
	go func() {
		first := <-received
		number, _ := first.(syscall.Signal)
		if cancel := s.cancel.Load(); cancel != nil {
			(*cancel)(Interrupted{number})
			<-received
		}
		signal.Stop(received)
		s.writing.Lock()
		cleanup()
		os.Exit(128 + int(number))
	}()
	return s.writing.With(context.WithValue(context.Background(), signalsKey{}, s))
}
