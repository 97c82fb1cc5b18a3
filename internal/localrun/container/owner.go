package container

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// ownerLabel is the label with the process that a container belongs to. rplug may be killed, so the next one looks for
// containers without their process.
const ownerLabel = contract.Group + "/owner"

// engines counts the engines of this process, so that closing one leaves the containers of another alone.
var engines atomic.Int64

// newOwner returns the value of ownerLabel for another engine of this process: MACHINE/PROCESS/START/ENGINE.
func newOwner() string {
	process := os.Getpid()
	return fmt.Sprintf("%s/%d/%s/%d", machine(), process, startOf(process), engines.Add(1))
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

// isAbandoned reports whether an owner was a process of this machine that has ended.
func isAbandoned(owner string) bool {
	parts := strings.Split(owner, "/")
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

// An engine's folder begins with filesPrefix; ownerFile in it has the value of ownerLabel.
const (
	filesPrefix = "rplug-"
	ownerFile   = "owner"
)

// removeLeftovers removes the containers and files of processes that were killed.
func (e *Engine) removeLeftovers(ctx context.Context) error {
	ids, err := e.labelled(ctx, "")
	defer e.removeFolders(ctx) // after the containers that mount files of them
	if err != nil || len(ids) == 0 {
		return err
	}
	// A container that has gone in the meantime is an error, but the others are printed.
	inspect := e.command(ctx, append([]string{"inspect", "--type", "container", "--format",
		`{{.Id}} {{index .Config.Labels "` + ownerLabel + `"}}`}, ids...)...)
	owners, _ := inspect.Output()
	var abandoned []string
	for line := range strings.Lines(string(owners)) {
		if id, owner, _ := strings.Cut(strings.TrimSpace(line), " "); isAbandoned(owner) {
			abandoned = append(abandoned, id)
		}
	}
	return e.remove(ctx, abandoned...)
}

// removeFolders removes the folders of killed processes. One that cannot be removed is left to the user.
func (e *Engine) removeFolders(ctx context.Context) {
	owners, _ := filepath.Glob(filepath.Join(e.options.Folder, filesPrefix+"*", ownerFile))
	for _, file := range owners {
		if owner, err := os.ReadFile(file); err == nil && isAbandoned(string(owner)) {
			_ = e.removeFolder(ctx, filepath.Dir(file))
		}
	}
}

// labelled returns the ids of the containers with ownerLabel; value is "=" and an owner, or empty for all.
func (e *Engine) labelled(ctx context.Context, value string) ([]string, error) {
	ids, err := e.output(ctx, "ps", "--all", "--quiet", "--no-trunc", "--filter", "label="+ownerLabel+value)
	return strings.Fields(ids), err
}
