package run

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// CgroupFolder is where a container sees its own control group.
const CgroupFolder = "/sys/fs/cgroup"

// oomKills is how many processes of the container the kernel has killed for memory; 0 where it does not say. The second
// file is that of cgroup v1.
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
