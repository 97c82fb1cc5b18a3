package rplug

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// CompleteNames completes a name of documents: names returns those of an item. Documents that cannot be read are ignored.
func (in *Inputs) CompleteNames(names func(item *krm.Item) []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		project, _ := cli.FindProject(".", extension.Rules(in.Features)...)
		catalogs, _ := project.CatalogPaths()
		read, err := load.Read(slices.Concat([]string{"."}, catalogs), load.Options{
			KeepUnset: true, Values: in.set, Exclude: project.Exclusions(), Formats: extension.Formats(in.Features),
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found := map[string]bool{}
		for _, d := range read.Documents {
			if d.Item.APIVersion() == contract.APIVersion {
				for _, name := range names(d.Item) {
					found[name] = true
				}
			}
		}
		delete(found, "")
		return slices.Sorted(maps.Keys(found)), cobra.ShellCompDirectiveNoFileComp
	}
}

// FirstArgument completes the first argument as one function does, and the others as paths of documents.
func FirstArgument(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return CompleteFiles(c, args, text)
		}
		return complete(c, args, text)
	}
}

// OnlyFirst completes the first argument as one function does, and no others.
func OnlyFirst(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(c, args, text)
	}
}

// PluginNames returns the names of a plugin, or of those of a catalog: with the version, and bare.
func PluginNames(item *krm.Item) []string {
	switch item.Kind() {
	case contract.ResourcePlugin:
		name, err := document.ParsePluginName(item.Name())
		if err != nil {
			return nil
		}
		return []string{name.Bare, item.Name()}
	case contract.Catalog:
		catalog, err := readCatalog(item)
		if err != nil {
			return nil
		}
		var names []string
		for _, p := range catalog.Spec.Plugins {
			names = append(names, p.Name)
			for _, v := range p.Versions {
				names = append(names, p.Name+"@"+v.Version)
			}
		}
		return names
	}
	return nil
}

// StepNames returns the names of the steps of a plugin.
func StepNames(item *krm.Item) (names []string) {
	if item.Kind() != contract.ResourcePlugin {
		return nil
	}
	plugin, _ := document.ReadPlugin(item)
	for _, step := range slices.Concat(plugin.Spec.Create, plugin.Spec.Delete) {
		names = append(names, step.Name)
	}
	return names
}

// SandboxNames returns the name of a sandbox.
func SandboxNames(item *krm.Item) []string {
	if item.Kind() != contract.Sandbox {
		return nil
	}
	return []string{item.Name()}
}

// RemovableNames returns the name of a document that can be marked absent.
func RemovableNames(item *krm.Item) []string {
	if item.Kind() != contract.RouteGroup {
		return SandboxNames(item)
	}
	return []string{item.Name()}
}

// ClusterNames returns the cluster of a sandbox or a route group.
func ClusterNames(item *krm.Item) []string {
	cluster, found := krm.Path("spec.cluster").Find(item.YNode())
	if !found || strings.Contains(cluster.Value, "@{") {
		return nil
	}
	return []string{cluster.Value}
}

// CompleteRevisions completes a git revision with the names of branches and tags.
func CompleteRevisions(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	listing, err := load.GitOutput("for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return append(strings.Fields(listing), "HEAD"), cobra.ShellCompDirectiveNoFileComp
}
