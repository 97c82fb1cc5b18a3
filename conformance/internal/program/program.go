// Package program runs a KRM function, a program or an image, and records its behaviour. Its main type is Program; Run gives
// it an input under conditions and returns an Observation.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// maxOutput is the number of bytes that are kept of each stream.
const maxOutput = 256 << 20

// Program is a function to run.
type Program struct {
	// Args are the program and its arguments, if Image is empty, and else the arguments of the image.
	Args []string
	// Image is the reference of an image, which Runtime runs: docker, podman or another program with the same flags.
	Image, Runtime string
	// Mounts are mounts of the image, in the syntax of docker run --mount.
	Mounts []string
	// Timeout ends a run that takes longer.
	Timeout time.Duration
}

// Observation is the behaviour of a function in a run.
type Observation struct {
	Stdin, Stdout, Stderr []byte
	Exit                  int    // the exit code; -1 if a signal ended the process
	Signal                string // the signal, if one ended it
	TimedOut              bool
	Left                  []string      // files that it created in its working folder, if that was empty before
	CPU                   time.Duration // user and system time; 0 for images
	Memory                int64         // the largest resident set in bytes; 0 if it is not known
}

// Unavailable is the error of Run if this machine cannot run the function under the conditions.
type Unavailable struct{ Reason string }

func (u Unavailable) Error() string { return u.Reason }

// New returns a program. Arguments that are paths of existing files become absolute, since some runs have another working
// folder.
func New(p Program) (Program, error) {
	if p.Image != "" {
		if _, err := exec.LookPath(p.Runtime); err != nil {
			return p, fmt.Errorf("--image needs %s on the PATH: %w", p.Runtime, err)
		}
		return p, nil
	}
	path, err := exec.LookPath(p.Args[0])
	if err != nil {
		return p, err
	}
	p.Args = append([]string{path}, p.Args[1:]...)
	for i, arg := range p.Args {
		if _, err := os.Stat(arg); err != nil {
			continue
		}
		if p.Args[i], err = filepath.Abs(arg); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Run runs the function with an input. Conditions are those of suite.Run.
func (p Program) Run(input []byte, conditions []string) (*Observation, error) {
	plan, err := p.plan(conditions)
	if err != nil {
		return nil, err
	}
	defer plan.remove()
	ctx, cancel := context.WithTimeout(context.Background(), p.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, plan.args[0], plan.args[1:]...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = plan.env, plan.folder, plan.attributes
	cmd.WaitDelay = 10 * time.Second // a child may keep the pipes open; a busy machine may read the rest late
	cmd.Stdin = bytes.NewReader(input)
	stdout, stderr := &limited{}, &limited{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Run()
	o := &Observation{Stdin: input, Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), TimedOut: ctx.Err() != nil}
	if cmd.ProcessState == nil { // it did not start
		if plan.attributes != nil && errors.Is(err, os.ErrPermission) {
			return nil, Unavailable{"user nobody may not execute " + plan.args[0] + ": install it where all users can read it"}
		}
		return nil, err
	}
	o.Exit = cmd.ProcessState.ExitCode()
	if p.Image == "" {
		o.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		o.Memory = memory(cmd.ProcessState)
	}
	o.Signal = signal(cmd.ProcessState)
	o.Left, err = plan.left()
	return o, err
}

// limited keeps the first bytes of a stream and drops the rest, so that a function cannot exhaust the memory.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := maxOutput - l.Len(); room < len(p) {
		_, _ = l.Buffer.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return l.Buffer.Write(p)
}
