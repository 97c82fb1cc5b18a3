package function

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// ResolveVersion is the KRM function resolve-version.
func ResolveVersion() cli.Function {
	return cli.Function{
		Name:    "resolve-version",
		Purpose: "pins the plugins that sandboxes refer to, and records what was asked for and the digest.",
		Kind:    "ResolveVersion",
		Output:  cli.Documents,
		Example: "resolve-version plugins/ sandbox.yaml | render-phase -\n" +
			"resolve-version --write-lock plugin-lock.yaml .",
		LockKind: contract.PluginLock,
		Config:   func() cli.Config { return &resolveConfig{v1alpha1.ResolveVersion{Mode: resolve.Keep}} },
	}
}

type resolveConfig struct{ v1alpha1.ResolveVersion }

// Process pins every plugin reference of the list's sandboxes.
func (c *resolveConfig) Process(call cli.Call) (string, error) {
	report, err := resolve.Resolve(call.List, resolve.Options{
		ResolveVersion: c.ResolveVersion, CreateLock: call.WriteLock, PlaceLock: !call.FileMode,
	})
	if isWrong := reportOptions(call, err); isWrong && report.Sandboxes == 0 {
		return "resolved nothing: fix the errors above", nil
	} else if err != nil && !isWrong {
		return "", err
	}
	summary := fmt.Sprintf("resolved %s of %s to %s", cli.Count(report.References, "reference"),
		cli.Count(report.Sandboxes, "sandbox"), cli.Count(report.Versions, "plugin version"))
	if lock := report.Lock; lock != (resolve.LockStats{}) {
		summary += fmt.Sprintf("; the lock has %d more, %d moved, %d fewer", lock.Added, lock.Moved, lock.Removed)
	}
	return summary, nil
}
