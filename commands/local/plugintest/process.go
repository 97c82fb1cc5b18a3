package plugintest

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// process is a command on this machine, with its child processes.
type process struct {
	command *exec.Cmd
	output  *output
	ended   chan struct{}
	err     error // valid once ended is closed

	once sync.Once
}

// gracePeriod is the time between SIGTERM and SIGKILL.
const gracePeriod = 5 * time.Second

// startProcess starts a command in a folder, and keeps the last part of its output.
func startProcess(folder string, environment, command []string) (*process, error) {
	p := &process{output: &output{}, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		// On Linux the process gets a signal when the thread that started it ends, so the thread must stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.start(folder, environment, command)
		started <- err
		if err == nil {
			p.err = p.command.Wait()
			close(p.ended)
		}
	}()
	return p, <-started
}

// start starts the command, separated from this process as far as the machine allows.
func (p *process) start(folder string, environment, command []string) (err error) {
	for _, separate := range separations() {
		p.command = exec.Command(command[0], command[1:]...)
		p.command.Dir, p.command.Env = folder, environment
		p.command.Stdout, p.command.Stderr = p.output, p.output
		p.command.WaitDelay = gracePeriod // for a process that has left the group and keeps the output open
		separate(p.command)
		if err = p.command.Start(); err == nil {
			return nil
		}
	}
	return err
}

// stop kills the process and everything in its group.
func (p *process) stop() {
	p.once.Do(func() {
		terminate(p.command)
		select {
		case <-p.ended:
		case <-time.After(gracePeriod):
		}
		kill(p.command)
		<-p.ended
	})
}

// output keeps the last part of its input, and the digest of all.
type output struct {
	mu     sync.Mutex
	text   []byte
	digest hash.Hash // nil before the first write
}

// Write implements io.Writer.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.digest == nil {
		o.digest = sha256.New()
	}
	_, _ = o.digest.Write(text)
	o.text = append(o.text, text...)
	if extra := len(o.text) - 2*tailBytes; extra > 0 {
		o.text = append(o.text[:0], o.text[extra:]...)
	}
	return len(text), nil
}

// String returns the kept part.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// sum returns the digest of everything that was written.
func (o *output) sum() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.digest == nil {
		return ""
	}
	return hex.EncodeToString(o.digest.Sum(nil))
}
