package manager

import (
	"context"
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/install"
	"github.com/resource-plugins/krm-functions/runtime/internal/variable"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// changePackage applies the objects of a package, or deletes them. It has no step, and so no plan in its environment.
func (h Host) changePackage(ctx context.Context, command string) int {
	task, err := h.packageTask()
	if err != nil {
		h.Reporter.Fail(err.Error())
		return exitFailed
	}
	if command == unpacking.Apply {
		err = task.Apply(ctx, h.PackageObjects)
	} else {
		err = task.Delete(ctx)
	}
	if err != nil {
		h.Reporter.Fail(fmt.Sprintf("package %q: %v", task.Installation.Name, err))
		return exitCode(err)
	}
	return 0
}

// packageTask reads the environment variables.
func (h Host) packageTask() (*install.Task, error) {
	task := &install.Task{Namespace: h.Getenv(contract.NamespaceVariable), Log: h.Reporter.Log}
	if task.Namespace == "" {
		return nil, variable.Missing(contract.NamespaceVariable)
	}
	var err error
	if task.Installation, err = install.Parse(h.Getenv(unpacking.InstallationVariable)); err != nil {
		return nil, err
	}
	task.Client, err = h.client(h.Timing)
	return task, err
}
