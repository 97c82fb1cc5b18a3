package check

import (
	"bytes"
	"strings"
	"time"
)

// same-exit: the function succeeds or fails as in another case.
func sameExit(j *judgement) error {
	other := j.runOf(j.c.Check.Case)
	if other == nil {
		return nil
	}
	if r := j.only(); (r.Exit == 0) != (other.Exit == 0) {
		j.problem("exit code %d, but %d in %s; stderr %s", r.Exit, other.Exit, other.of, shorten(string(r.Stderr)))
	}
	return nil
}

// same-output: exit code and stdout are those of another case.
func sameOutput(j *judgement) error {
	other := j.runOf(j.c.Check.Case)
	if other == nil {
		return nil
	}
	switch r := j.only(); {
	case r.Exit != other.Exit:
		j.problem("exit code %d, but %d in %s; stderr %s", r.Exit, other.Exit, other.of, shorten(string(r.Stderr)))
	case !bytes.Equal(r.Stdout, other.Stdout):
		j.problem("stdout differs from that of %s", other.of)
	}
	return nil
}

// same-bytes: all runs have the same exit code and stdout.
func sameBytes(j *judgement) error {
	for n, r := range j.runs[1:] {
		if r.Exit != j.only().Exit || !bytes.Equal(r.Stdout, j.only().Stdout) {
			j.problem("run %d of %d has another output than the first", n+2, len(j.runs))
		}
	}
	return nil
}

// idempotent: the items of the second run, whose input is the output of the first, are those of the first.
func idempotent(j *judgement) error {
	if !j.answered() {
		return nil
	}
	second := j.runs[1]
	if failure := second.failure(j.suite.Profile); failure != "" {
		j.problem("with its own output as input: %s", failure)
		return nil
	}
	j.compare(j.only().list, second.list)
	return nil
}

// no-files: the working folder is empty after the run.
func noFiles(j *judgement) error {
	if left := j.only().Left; len(left) > 0 {
		j.problem("files in the working folder after the run: %s", strings.Join(left, ", "))
	}
	return nil
}

// expandedMemory is the memory that no function needs for a list of a few hundred bytes.
const expandedMemory = 512 << 20

// ends: the run ends in time and by itself, in success or failure, without much memory: a function that expands the
// list takes all memory or all time, or gives up before, as the machine has it.
func ends(j *judgement) error {
	switch r := j.only(); {
	case r.Memory > expandedMemory:
		j.problem("more than %d MiB of memory for a list of %d bytes", expandedMemory>>20, len(r.Stdin))
	case r.TimedOut:
		j.problem("did not end in time")
	case r.Signal != "":
		j.problem("ended by signal: %s", r.Signal)
	}
	return nil
}

// shortTime is the CPU time below which growth is not judged: it is mostly that of the start.
const shortTime = time.Second

// time: the CPU time grows at most by a factor from the case with fewer items.
func cpuTime(j *judgement) error {
	small := j.runOf(j.c.Check.Case)
	if small == nil || !j.answered() {
		return nil
	}
	r := j.only()
	if factor := r.CPU.Seconds() / small.CPU.Seconds(); r.CPU > shortTime && factor > j.c.Check.Limit {
		j.problem("%.1f s of CPU time, %.0f times that of %s with a fifth of the items; at most %.0f times are linear enough",
			r.CPU.Seconds(), factor, small.of, j.c.Check.Limit)
	}
	return nil
}

// ownMemory is the memory that a function may use regardless of the size of the list.
const ownMemory = 128 << 20

// memory: the largest resident set is at most this many bytes for a byte of input.
func memory(j *judgement) error {
	r := j.only()
	if r.Memory == 0 {
		j.unknown = "the memory of processes is not known on this machine"
		return nil
	}
	if most := ownMemory + int64(j.c.Check.Limit)*int64(len(r.Stdin)); r.Memory > most {
		j.problem("%d MiB of memory for a list of %d KiB, want at most %d MiB", r.Memory>>20, len(r.Stdin)>>10, most>>20)
	}
	return nil
}
