//go:build !linux

package process

import (
	"context"
	"errors"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// machineFolders are for Linux only: on other systems, no folder can be made at the root.
type machineFolders struct{}

func claimFolders(_ context.Context, container localrun.Container) (*machineFolders, error) {
	if len(filesOf(container)) > 0 || len(container.Folders) > 0 || container.Plan != nil && len(container.Plan.Outputs) > 0 {
		return nil, errors.New("inputs as files, volumes and outputs must not be at absolute paths with the engine process on " +
			"this system: use --engine docker or --engine podman")
	}
	return &machineFolders{}, nil
}

func (*machineFolders) release() {}

// FoldersCommand returns the command that makes the usual folders of steps without bubblewrap; here none does.
func FoldersCommand() string { return "" }
