package process

import (
	"os"
	"path/filepath"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// rootFolder is the folder with the writable folders of a step, in the folder that is kept of it.
const rootFolder = "root"

// makeFolder creates the folder of a step, which other users cannot read.
func makeFolder(container localrun.Container) (string, error) {
	if container.Keep == "" {
		folder, _, err := localrun.MakeFolder(os.TempDir())
		return folder, err
	}
	folder, err := filepath.Abs(container.Keep)
	if err != nil {
		return "", err
	}
	return folder, os.MkdirAll(folder, 0o700)
}

// keepOrRemove removes the folder of a step, unless it is to be kept and the step has failed. It returns Result.Kept.
func keepOrRemove(container localrun.Container, folder string, failed bool) string {
	if container.Keep != "" && failed {
		return "folder " + container.Keep
	}
	_ = os.RemoveAll(folder)
	return ""
}
