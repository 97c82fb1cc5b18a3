package host

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// segment is an external plugin of a chain, or consecutive built-in plugins that kubebuilder runs together.
type segment struct {
	plugin   *external.Plugin
	builtins []string
	help     string // of built-in plugins, once it was read
}

// String returns the keys.
func (s segment) String() string { return strings.Join(s.keys(), ",") }

func (s segment) keys() []string {
	if s.plugin != nil {
		return []string{s.plugin.Key()}
	}
	return s.builtins
}

// segments splits a chain. Plugins that are not installed are assumed to be built into kubebuilder.
func (h Host) segments(
	chain []string, plugins []external.Plugin, broken []external.Broken,
) (segments []segment, err error) {
	var errs []error
	for _, key := range chain {
		plugin, err := resolve(key, plugins)
		cause := causeOf(key, broken)
		switch {
		case err != nil:
			errs = append(errs, err)
		case plugin != nil:
			segments = append(segments, segment{plugin: plugin})
		case cause != nil:
			errs = append(errs, fmt.Errorf("plugin %q cannot be called: %w", key, cause))
		case h.Kubebuilder == "":
			errs = append(errs, h.missing(key, plugins))
		case len(segments) > 0 && segments[len(segments)-1].plugin == nil:
			last := &segments[len(segments)-1]
			last.builtins = append(last.builtins, key)
		default:
			segments = append(segments, segment{builtins: []string{key}})
		}
	}
	return segments, errors.Join(errs...)
}

// resolve returns the installed plugin of a key, or nil. A key may have no version, and only the first labels
// of the name: x/v1 is the plugin x.example.org/v1 if no other one fits. The name in full takes precedence.
func resolve(key string, plugins []external.Plugin) (*external.Plugin, error) {
	name, version, hasVersion := strings.Cut(key, "/")
	for _, fits := range []func(external.Plugin) bool{
		func(p external.Plugin) bool { return p.Name == name },
		func(p external.Plugin) bool { return strings.HasPrefix(p.Name, name+".") },
	} {
		var found []*external.Plugin
		var keys []string
		for i := range plugins {
			if fits(plugins[i]) && (!hasVersion || plugins[i].Version == version) {
				found, keys = append(found, &plugins[i]), append(keys, plugins[i].Key())
			}
		}
		if len(found) > 1 {
			return nil, fmt.Errorf("plugin %q must be clear: it may be %s", key, strings.Join(keys, " or "))
		}
		if len(found) == 1 {
			return found[0], nil
		}
	}
	return nil, nil
}

// causeOf returns why a key has no usable plugin, nil if no entry of the discovery folder has its name.
func causeOf(key string, broken []external.Broken) error {
	name, version, _ := strings.Cut(key, "/")
	for _, one := range broken {
		folder := filepath.ToSlash(one.Folder)
		base, above := path.Base(folder), path.Base(path.Dir(folder))
		isName := func(text string) bool { return text == name || strings.HasPrefix(text, name+".") }
		if isName(base) || isName(above) && (version == "" || base == version || v1alpha1.CheckPluginVersion(base) != "") {
			return one
		}
	}
	return nil
}

// missing returns the error for a plugin that is not installed, without a kubebuilder that could have it.
func (h Host) missing(key string, plugins []external.Plugin) error {
	installed := "none"
	if len(plugins) > 0 {
		keys := make([]string, len(plugins))
		for i, plugin := range plugins {
			keys[i] = plugin.Key()
		}
		installed = strings.Join(slices.Sorted(slices.Values(keys)), ", ")
	}
	return fmt.Errorf("plugin %q is not in %s, which has %s; plugins of kubebuilder need kubebuilder on the PATH",
		key, h.Root, installed)
}
