// Command runner runs the script of a step inside main: runner SCRIPT [ARGUMENT...]. The input manager copies it to the
// volume that the Pod's containers share, and that is where it looks for its plan: beside itself.
package main

import (
	"os"
	"path/filepath"

	"github.com/resource-plugins/krm-functions/runtime/internal/report"
	"github.com/resource-plugins/krm-functions/runtime/internal/run"
)

func main() {
	os.Exit(run.Runner{
		Folder:   filepath.Dir(os.Args[0]),
		Cgroup:   run.CgroupFolder,
		Reporter: report.Reporter{Stderr: os.Stderr, TerminationLog: report.TerminationLog},
		Command:  os.Args[1:],
	}.Run())
}
