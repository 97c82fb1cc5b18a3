package cli

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// uninterrupted is held while something is written that must be complete. Signals go to the process, so this is one
// for the process.
var uninterrupted sync.Mutex

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
		signal.Stop(signals)
		uninterrupted.Lock()
		cleanup()
		number, _ := s.(syscall.Signal)
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
