package localrun

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// LabelOwner is the label on containers and networks that identifies the process that created them. Its value is a mark of
// NewMark. A killed process leaves them behind, so the next one checks each with IsAbandoned.
const LabelOwner = contract.Group + "/owner"

// number is the number of marks of this process.
var number atomic.Int64

// NewMark returns a unique mark of this process that is valid in file names: MACHINE.PROCESS.START.NUMBER.
func NewMark() string {
	process := os.Getpid()
	return fmt.Sprintf("%s.%d.%s.%d", machine(), process, startOf(process), number.Add(1))
}

// machine returns an identifier of the scope of process ids: on Linux a boot of the machine and a PID namespace, since
// several containers may share a daemon.
func machine() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, _ := os.Readlink("/proc/self/ns/pid")
	host, _ := os.Hostname()
	return contract.Hash(string(boot), namespace, host)
}

// startOf returns the start time of a process in ticks since boot (proc(5)), or "" if it is unknown. Process ids are reused,
// but not with the same start time.
func startOf(process int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const start = 22 - 3 // the third field follows the name
	if len(fields) <= start {
		return ""
	}
	return fields[start]
}

// IsAbandoned reports whether a mark belongs to a process of this machine that has ended.
func IsAbandoned(mark string) bool {
	parts := strings.Split(mark, ".")
	if len(parts) != 4 || parts[0] != machine() {
		return false
	}
	id, err := strconv.Atoi(parts[1])
	if err != nil {
		return false
	}
	process, err := os.FindProcess(id)
	return err != nil || !exists(process) || startOf(id) != parts[2]
}

// prefix is the prefix of folder names; the mark follows. A mark inside a file might be missing, since a process can be
// killed before it writes the file.
const prefix = "rplug-"

// MakeFolder creates a folder that only the user can read, and returns its path and mark.
func MakeFolder(parent string) (folder, mark string, err error) {
	for {
		mark = NewMark()
		folder = filepath.Join(parent, prefix+mark)
		if err := os.Mkdir(folder, 0o700); !errors.Is(err, fs.ErrExist) {
			return folder, mark, err
		}
	}
}

// RemoveFolders calls remove for the folders of processes that have ended.
func RemoveFolders(parent string, remove func(folder string) error) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		if mark, found := strings.CutPrefix(entry.Name(), prefix); found && entry.IsDir() && IsAbandoned(mark) {
			errs = append(errs, remove(filepath.Join(parent, entry.Name())))
		}
	}
	return errors.Join(errs...)
}
