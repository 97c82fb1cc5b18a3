package command

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
)

// rootUsage is the usage of --root.
const rootUsage = "`FOLDER` that plugins are installed in (default: kubebuilder's)"

// pluginsRoot returns the discovery folder: the value of the flag, or kubebuilder's.
func pluginsRoot(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	return external.Root(runtime.GOOS, os.Getenv)
}

// installedPlugins returns the keys of the installed plugins, for completion.
func installedPlugins(flag string) []string {
	root, err := pluginsRoot(flag)
	if err != nil {
		return nil
	}
	found, _, _ := external.Discover(root)
	keys := make([]string, len(found))
	for i, plugin := range found {
		keys[i] = plugin.Key()
	}
	return keys
}

// plugins returns the plugins that the arguments refer to.
func (f *harnessFlags) plugins(args []string) ([]external.Plugin, error) {
	if len(args) == 0 {
		return nil, errors.New("PLUGIN must be given: NAME/VERSION, the path of a program, or a discovery folder")
	}
	var all []external.Plugin
	for _, arg := range args {
		found, err := f.find(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if f.record != "" && len(all) > 1 {
		return nil, fmt.Errorf("--record must have one plugin, not %d", len(all))
	}
	return all, nil
}

// find returns the plugins that an argument refers to: by key, by the path of the program, or by discovery folder.
func (f *harnessFlags) find(arg string) ([]external.Plugin, error) {
	info, err := os.Stat(arg)
	switch {
	case err == nil && !info.IsDir():
		plugin, err := external.FromPath(arg)
		return []external.Plugin{plugin}, err
	case err == nil:
		found, broken, err := external.Discover(arg)
		for _, entry := range broken {
			err = errors.Join(err, entry)
		}
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%q must be a discovery folder: it has no NAME/VERSION/NAME", arg)
		}
		return found, err
	}
	root, err := pluginsRoot(f.root)
	if err != nil {
		return nil, err
	}
	found, _, err := external.Discover(root)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(found, func(plugin external.Plugin) bool { return plugin.Key() == arg })
	if i < 0 {
		return nil, fmt.Errorf("there is no plugin %q in %s, and no such file: rplug validate %s explains what is wrong with it",
			arg, root, root)
	}
	return found[i : i+1], nil
}
