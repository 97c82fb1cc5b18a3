package function

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/stackresolve"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// ResolveVersion is the KRM function resolve-version.
func ResolveVersion() cli.Function {
	return cli.Function{
		Name:    "resolve-version",
		Purpose: "pins what sandboxes and install requests refer to, and records what was asked for and the digest.",
		Kind:    "ResolveVersion",
		Output:  cli.Documents,
		Example: "resolve-version plugins/ sandbox.yaml | render-phase -\n" +
			"resolve-version --write-lock plugin-lock.yaml .",
		LockKind: contract.PluginLock,
		Config:   func() cli.Config { return &resolveConfig{v1alpha1.ResolveVersion{Mode: resolve.Keep}} },
	}
}

type resolveConfig struct{ v1alpha1.ResolveVersion }

// Process pins every plugin reference of the list's sandboxes, and every install request.
func (c *resolveConfig) Process(call cli.Call) (string, error) {
	report, err := resolve.Resolve(call.List, resolve.Options{
		ResolveVersion: c.ResolveVersion, CreateLock: call.WriteLock, PlaceLock: !call.FileMode,
		Others: stackresolve.Names(call.List),
	})
	wrong := reportOptions(call, err)
	if err != nil && !wrong {
		return "", err
	}
	var packages stackresolve.Report
	if !wrong || report.Sandboxes > 0 {
		packages, err = stackresolve.Pin(call.List, stackresolve.Options{
			ResolveVersion: c.ResolveVersion, CreateLock: call.WriteLock, PlaceLock: !call.FileMode,
		})
		if err != nil {
			return "", err
		}
	}
	if wrong && report.Sandboxes == 0 {
		return "resolved nothing: fix the errors above", nil
	}
	return summary(report, packages), nil
}

// summary counts what was resolved. Sandboxes are counted even if there is none, unless there are requests.
func summary(plugins resolve.Report, packages stackresolve.Report) string {
	var counts []string
	if plugins.Sandboxes > 0 || packages.Requests == 0 {
		counts = append(counts, fmt.Sprintf("%s of %s to %s", cli.Count(plugins.References, "reference"),
			cli.Count(plugins.Sandboxes, "sandbox"), cli.Count(plugins.Versions, "plugin version")))
	}
	if packages.Requests > 0 {
		counts = append(counts, fmt.Sprintf("%d of %s to %s", packages.Resolved, cli.Count(packages.Requests, "request"),
			cli.Count(packages.Packages, "package")))
	}
	text := "resolved " + strings.Join(counts, ", and ")
	lock := plugins.Lock
	lock.Added += packages.Lock.Added
	lock.Moved += packages.Lock.Moved
	lock.Removed += packages.Lock.Removed
	if lock != (resolve.LockStats{}) {
		text += fmt.Sprintf("; the lock has %d more, %d moved, %d fewer", lock.Added, lock.Moved, lock.Removed)
	}
	return text
}
