package external

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// prSetChildSubreaper makes this process the parent of orphans (prctl(2)).
const prSetChildSubreaper = 36

// strayTime limits how long processes are searched that a plugin has left, since they may start others meanwhile.
const strayTime = 2 * time.Second

// strays ends the processes that plugins leave in other process groups.
var strays struct {
	sync.Mutex
	running int // plugins
}

// watchStrays is called before a plugin starts, and its result after it has ended: it kills all processes that plugins have
// left. As long as another plugin runs, nothing is killed, since the processes may be its own.
func watchStrays() (end func()) {
	strays.Lock()
	defer strays.Unlock()
	strays.running++
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0, 0, 0, 0)
	return func() {
		strays.Lock()
		defer strays.Unlock()
		if strays.running--; strays.running == 0 {
			killStrays()
		}
	}
}

// killStrays kills all descendants in other process groups than this process, until it finds no more.
func killStrays() {
	for end := time.Now().Add(strayTime); time.Now().Before(end); time.Sleep(time.Millisecond) {
		found := findStrays(readProcesses())
		if len(found) == 0 {
			return
		}
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // fails for those that are not children yet
		}
	}
}

// proc is a process in /proc.
type proc struct{ pid, parent, group int }

// findStrays returns the children of this process in other process groups, and their descendants. Other programs that this
// process starts stay in its group.
func findStrays(all []proc) (found []int) {
	children := map[int][]proc{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	var add func(proc)
	add = func(p proc) {
		found = append(found, p.pid)
		for _, child := range children[p.pid] {
			add(child)
		}
	}
	own := syscall.Getpgrp()
	for _, p := range children[os.Getpid()] {
		if p.group != own {
			add(p)
		}
	}
	return found
}

// readProcesses returns the processes of the machine, none without /proc.
func readProcesses() (all []proc) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid pgrp …: the name may contain anything (proc_pid_stat(5)).
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 3 {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		group, _ := strconv.Atoi(string(fields[2]))
		all = append(all, proc{pid, parent, group})
	}
	return all
}

// run runs the plugin, and kills all processes that it leaves.
func run(command *exec.Cmd) error {
	end := watchStrays()
	defer end()
	err := command.Run()
	killGroup(command)
	return err
}
