package command

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
)

// rootUsage is the help of --root.
const rootUsage = "`FOLDER` that plugins are installed in (default: kubebuilder's)"

// pluginsRoot returns the folder that plugins are installed in: the flag's, or kubebuilder's.
func pluginsRoot(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	return external.Root(runtime.GOOS, os.Getenv)
}

// installedPlugins returns the keys of the plugins that are installed, for completion.
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

// plugins finds the plugins that the arguments name.
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

// find finds the plugins that an argument names: by their key, by the path of their program or by their discovery folder.
func (f *harnessFlags) find(arg string) ([]external.Plugin, error) {
	info, err := os.Stat(arg)
	switch {
	case err == nil && !info.IsDir():
		plugin, err := external.FromPath(arg)
		return []external.Plugin{plugin}, err
	case err == nil:
		found, broken, err := external.Discover(arg)
		for _, one := range broken {
			err = errors.Join(err, one)
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
	at := slices.IndexFunc(found, func(one external.Plugin) bool { return one.Key() == arg })
	if at < 0 {
		return nil, fmt.Errorf("there is no plugin %q in %s, and no such file: rplug validate %s says what is wrong with it",
			arg, root, root)
	}
	return found[at : at+1], nil
}
