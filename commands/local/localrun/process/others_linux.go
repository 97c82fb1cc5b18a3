package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// awaitOthers waits for the processes that a script has started without bubblewrap. It kills those that do not end, and
// reports whether there were any: the processes of the script's group and session, and those that have its folder in their
// environment or as their working directory.
func awaitOthers(script int, folder string) bool {
	var running []int
	for end := time.Now().Add(othersGrace); ; time.Sleep(othersInterval) {
		if running = others(script, folder); len(running) == 0 {
			return false
		}
		if time.Now().After(end) {
			break
		}
	}
	for _, process := range running {
		_ = syscall.Kill(process, syscall.SIGKILL)
	}
	return true
}

// others returns the running processes of a script that has ended.
func others(script int, folder string) (running []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		at := filepath.Dir(file)
		stat, err := os.ReadFile(file)
		// pid (name) state ppid pgrp session …: the name may contain anything (proc_pid_stat(5)).
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if err != nil || len(fields) < 4 || fields[0] == "Z" || fields[0] == "X" {
			continue
		}
		isOf := fields[2] == strconv.Itoa(script) || fields[3] == strconv.Itoa(script)
		if !isOf {
			environment, _ := os.ReadFile(filepath.Join(at, "environ"))
			working, _ := os.Readlink(filepath.Join(at, "cwd"))
			isOf = bytes.Contains(environment, []byte(folder)) || strings.HasPrefix(working, folder)
		}
		if process, err := strconv.Atoi(filepath.Base(at)); isOf && err == nil && process != os.Getpid() {
			running = append(running, process)
		}
	}
	return running
}
