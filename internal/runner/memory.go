//go:build linux

package runner

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// CgroupFolder is the mount point of a container's own control group.
const CgroupFolder = "/sys/fs/cgroup"

// oomKills returns the number of processes of the container that were killed because they were out of memory, or 0 if
// it is unknown. The second file is that of cgroup v1.
func oomKills(folder string) int {
	for _, name := range []string{"memory.events", "memory/memory.oom_control"} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(content)) {
			if count, found := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); found {
				number, _ := strconv.Atoi(count)
				return number
			}
		}
	}
	return 0
}
