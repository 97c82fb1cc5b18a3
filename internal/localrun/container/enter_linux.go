package container

import (
	"os"
	"path/filepath"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/podreport"
	"github.com/resource-plugins/krm-functions/internal/runner"
)

// Enter is the runner of a step if this process is the first one of a container, and does not return then.
func Enter() {
	if os.Args[0] != contract.RunnerFile || os.Getpid() != 1 {
		return
	}
	os.Exit(runner.Runner{
		Folder:   filepath.Dir(os.Args[0]),
		Cgroup:   runner.CgroupFolder,
		Reporter: podreport.Reporter{Stderr: os.Stderr, TerminationLog: podreport.TerminationLog},
		Command:  os.Args[1:],
	}.Run())
}
