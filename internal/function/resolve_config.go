package function

import (
	"fmt"
	"slices"
	"sync"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// config is what a user can choose.
type resolveConfig struct{ v1alpha1.ResolveVersion }

// The modes.
const (
	keep   = "keep"   // what is locked stays; what is not is added to a lock that is there
	locked = "locked" // everything must be locked already
	update = "update" // what is locked moves
)

// Process pins every plugin reference of the list's sandboxes. The list's plugins, catalogs and locks decide.
func (c *resolveConfig) Process(call cli.Call) (string, error) {
	// One call parses them all, on all cores.
	items, err := call.List.Select(contract.APIVersion, contract.Sandbox, contract.Catalog, contract.PluginLock)
	if err != nil {
		return "", err
	}
	sandboxes := slices.DeleteFunc(items, func(item *krm.Item) bool { return item.Kind() != contract.Sandbox })
	kubernetes, ok := c.check(call)
	if !ok {
		return "resolved nothing: the config must be mended first", nil
	}
	var subjects []*resolveSubject
	var reading sync.WaitGroup
	reading.Go(func() { subjects = resolveReadSubjects(sandboxes) }) // a large catalog is the work of one core
	plugins := resolve.NewCatalog(call.List.Items(), resolve.ForKubernetes(kubernetes))
	reading.Wait()
	call.List.Report(plugins.Problems()...)
	if c.Mode == locked && plugins.Locks().Empty() {
		call.ConfigError("mode", "must not be locked where the list has no PluginLock: add one, or run mode update")
		return "resolved nothing: there is no lock", nil
	}
	r := newResolver(call, plugins, c, subjects)
	r.resolve()
	return r.summary(), nil
}

// check reports every value that cannot be used.
func (c *resolveConfig) check(call cli.Call) (kubernetes *semver.Version, ok bool) {
	ok = true
	wrong := func(key krm.Path, message string) {
		call.ConfigError(key, message)
		ok = false
	}
	if c.Mode == "" {
		c.Mode = keep
	}
	if modes := []string{keep, locked, update}; !slices.Contains(modes, c.Mode) {
		wrong("mode", fmt.Sprintf("must be keep, locked or update, not %q", c.Mode))
	}
	if len(c.Update) > 0 && c.Mode != update {
		wrong("update", "must be given with mode update only")
	}
	if c.KubernetesVersion != "" {
		var err error
		if kubernetes, err = resolve.KubernetesVersion(c.KubernetesVersion); err != nil {
			wrong("kubernetesVersion", err.Error())
		}
	}
	return kubernetes, ok
}
