// Package interrupt ends a program when its user asks for it, with Ctrl-C or SIGTERM: at once, but not while something is
// being written that must be whole. So a file is the old one or the new one, and no temporary one is left beside it.
package cli

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// whole is held while something is written. Signals are for the process, and so is this.
var whole sync.Mutex

// Heed ends the process with 128 and the number of the signal, 130 for Ctrl-C, as soon as no Whole is at work; farewell
// is called before. A signal that whoever started the process has it ignore stays ignored. A second one ends the process
// even within a Whole.
func HandleSignals(farewell func()) {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		s := <-signals
		signal.Stop(signals)
		whole.Lock()
		farewell()
		os.Exit(Code(s))
	}()
}

// Code is the exit code that tells of a signal, as shells have it.
func Code(s os.Signal) int {
	number, _ := s.(syscall.Signal)
	return 128 + int(number)
}

// Whole does work that a signal must not end halfway. It must be short: the user waits for it.
func Uninterrupted(work func() error) error {
	whole.Lock()
	defer whole.Unlock()
	return work()
}
