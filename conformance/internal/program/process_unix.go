//go:build unix

package program

import (
	"os"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

// unprivileged returns the attributes of a process of an unprivileged user.
func unprivileged() (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return nil, Unavailable{"needs root, to start a process as user nobody; or test an image"}
	}
	account, err := user.Lookup("nobody")
	if err != nil {
		return nil, Unavailable{err.Error()}
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// memory returns the largest resident set of a process in bytes.
func memory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	maxRSS := int64(usage.Maxrss) //nolint:unconvert // it is an int32 on some platforms
	if runtime.GOOS == "darwin" {
		return maxRSS
	}
	return maxRSS << 10
}

// signal returns the name of the signal that ended a process.
func signal(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
