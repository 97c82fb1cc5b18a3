// Command runner runs the script of a step in the container main: runner SCRIPT [ARGUMENT...]. The input manager copies it
// to the shared volume of the Pod; it reads its plan from the folder that it is in.
package main

import (
	"os"
	"path/filepath"

	"github.com/resource-plugins/krm-functions/internal/runner"
)

func main() {
	os.Exit(runner.Runner{
		Folder:   filepath.Dir(os.Args[0]),
		Cgroup:   runner.CgroupFolder,
		Reporter: runner.Reporter{Stderr: os.Stderr, TerminationLog: runner.TerminationLog},
		Command:  os.Args[1:],
	}.Run())
}
