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

// LabelOwner is the label of containers and networks with the process that made them. Its value is a mark of NewMark. A process
// that is killed removes nothing, so the next one asks IsAbandoned for each that it finds.
const LabelOwner = contract.Group + "/owner"

// number counts the marks of this process.
var number atomic.Int64

// NewMark returns a unique mark of this process: MACHINE.PROCESS.START.NUMBER. It can be in a file name.
func NewMark() string {
	process := os.Getpid()
	return fmt.Sprintf("%s.%d.%s.%d", machine(), process, startOf(process), number.Add(1))
}

// machine returns an identifier of what process ids belong to: on Linux a boot of the machine and a PID namespace, since
// several containers may use one daemon.
func machine() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, _ := os.Readlink("/proc/self/ns/pid")
	host, _ := os.Hostname()
	return contract.Hash(string(boot), namespace, host)
}

// startOf returns when a process was started, in ticks since the boot (proc(5)); "" if that is unknown. A process id is
// used again, but not with the same start.
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

// IsAbandoned reports whether a mark is that of a process of this machine that has ended.
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

// prefix begins the name of a folder; its mark follows. A file with the mark would be missing if the process were killed
// before it wrote it.
const prefix = "rplug-"

// MakeFolder makes a folder that only the user can read, and returns its path and its mark.
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
