//go:build linux

package runner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// childrenGrace is the time that the runner waits for processes that the script has started and not waited for. A
// process that was just forked may not have opened its output yet.
const childrenGrace = 5 * time.Second

// childrenInterval is the interval at which it checks whether they have ended.
const childrenInterval = 5 * time.Millisecond

// waitForChildren waits for the children of this process, which are those that the script has left behind, and returns
// the processes that still run after the grace period.
func waitForChildren(grace time.Duration) []string {
	for end := time.Now().Add(grace); hasChildren(); time.Sleep(childrenInterval) {
		if !time.Now().After(end) {
			continue
		}
		if running := descendants(os.Getpid()); len(running) > 0 {
			return running
		}
		return []string{"one that /proc does not show"}
	}
	return nil
}

// hasChildren waits for a child that has ended, and reports whether there are others. A process whose parent has ended is
// a child of this process: see adoptOrphans.
func hasChildren() bool {
	_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	return !errors.Is(err, syscall.ECHILD)
}

// descendants returns the running processes below a process, as text for messages.
func descendants(ancestor int) []string {
	parents, names := map[int]int{}, map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		if process, parent, name, ok := parseStat(file); ok {
			parents[process], names[process] = parent, name
		}
	}
	var found []string
	for _, file := range files {
		process, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		for parent := parents[process]; parent != 0; parent = parents[parent] {
			if parent == ancestor {
				found = append(found, fmt.Sprintf("%q (process %d)", names[process], process))
				break
			}
		}
	}
	return found
}

// parseStat reads /proc/PID/stat: the process, its program in parentheses, its state and its parent (proc(5)). A zombie has
// ended.
func parseStat(file string) (process, parent int, name string, ok bool) {
	stat, err := os.ReadFile(file)
	from, to := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if err != nil || from < 0 || to < from {
		return 0, 0, "", false
	}
	fields := strings.Fields(string(stat[to+1:]))
	if len(fields) < 2 || fields[0] == "Z" || fields[0] == "X" {
		return 0, 0, "", false
	}
	process, _ = strconv.Atoi(strings.TrimSpace(string(stat[:from])))
	parent, err = strconv.Atoi(fields[1])
	return process, parent, string(stat[from+1 : to]), err == nil
}

// maxListed is the number of processes that a message names.
const maxListed = 5

// listed joins the processes for a message.
func listed(processes []string) string {
	more := ""
	if len(processes) > maxListed {
		more = fmt.Sprintf(" and %d more", len(processes)-maxListed)
		processes = processes[:maxListed]
	}
	return strings.Join(processes, ", ") + more
}
