package rplug

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// completePlugins completes the bare name of a plugin in the folder.
func (f *newFlags) completePlugins(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return pluginNames(f.dir), cobra.ShellCompDirectiveNoFileComp
}

func missingPlugin(bare, dir string) error {
	if near, _ := strictyaml.Nearest(bare, pluginNames(dir)); near != "" {
		return fmt.Errorf("there is no plugin %q in %s: did you mean %q?", bare, dir, near)
	}
	return fmt.Errorf("there is no plugin %q in %s: make it with rplug new plugin, or name its folder with --dir", bare, dir)
}

// missingVersion is about a reference that no plugin of a folder satisfies.
func missingVersion(reference document.PluginReference, dir string) error {
	found := pluginsIn(dir)[reference.Bare]
	versions := make([]string, 0, len(found))
	for _, plugin := range found {
		versions = append(versions, plugin.Name)
	}
	if len(versions) == 0 {
		return missingPlugin(reference.Bare, dir)
	}
	slices.Sort(versions)
	return fmt.Errorf("no plugin in %s is %q, but %s", dir, reference, strings.Join(slices.Compact(versions), ", "))
}

// pluginsIn returns the plugins of a folder that can be read.
func pluginsIn(dir string) map[string][]*document.Plugin {
	found := map[string][]*document.Plugin{}
	read, err := load.Read([]string{dir}, load.Options{KeepUnset: true})
	if err != nil {
		return nil
	}
	for _, d := range read.Documents {
		if d.Item.Kind() != contract.ResourcePlugin || d.Item.APIVersion() != contract.APIVersion {
			continue
		}
		plugin, _ := document.ReadPlugin(d.Item)
		if name, err := document.ParsePluginName(plugin.Name); err == nil {
			found[name.Bare] = append(found[name.Bare], plugin)
		}
	}
	return found
}

// pluginNames returns the bare names of the plugins of a folder.
func pluginNames(dir string) []string { return slices.Sorted(maps.Keys(pluginsIn(dir))) }

// findPlugin returns the highest version of a plugin of a folder that a reference admits, nil without a match.
func findPlugin(dir string, reference document.PluginReference) *document.Plugin {
	var highest *document.Plugin
	var at document.PluginName
	for _, plugin := range pluginsIn(dir)[reference.Bare] {
		name, _ := document.ParsePluginName(plugin.Name)
		if reference.Admits(name.Version) && (highest == nil || name.Version.GreaterThan(at.Version)) {
			highest, at = plugin, name
		}
	}
	return highest
}

// exampleParams returns the given params, and a value for each other param that a plugin needs.
func exampleParams(plugin *document.Plugin, given map[string]string) map[string]string {
	params := map[string]string{}
	for _, name := range document.Needed(&plugin.Spec) {
		params[name] = scaffold.Example
	}
	maps.Copy(params, given)
	return params
}

// outputsOf returns the outputs of the create phase.
func outputsOf(plugin *document.Plugin) (outputs []v1alpha1.StepOutput) {
	for _, step := range plugin.Spec.Create {
		for _, output := range step.Outputs {
			outputs = append(outputs, v1alpha1.StepOutput{Name: step.Name, Output: output.Name})
		}
	}
	return outputs
}
