package rplug

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func listCommand(features []extension.Extension, extensions []Extension) *cobra.Command {
	command := &cobra.Command{
		Use: "list [PATH...]", Args: Arguments(0, -1),
		Short: "List the plugins and the Crossplane packages of catalogs",
		Long: "CHOSEN is what the bare name means, over all catalogs, plugins and locks below the paths\n" +
			"(default: the working directory and the catalogs of rplug.yaml).",
		Example: "  rplug catalog list catalog.yaml",
	}
	in := Inputs{Features: features, ReadsCatalogs: true}
	output := OutputFlag(command)
	command.RunE = func(c *cobra.Command, args []string) error {
		documents, all, err := openCatalogs(c, &in, in.PathsFrom(args, 0))
		if err != nil {
			return err
		}
		listings := []*Listing{listed(documents, all)}
		for _, e := range extensions {
			if e.List == nil {
				continue
			}
			if one := e.List(documents); one != nil {
				listings = append(listings, one)
			}
		}
		return printListings(c.OutOrStdout(), listings, *output)
	}
	return in.ReadProject(command)
}

// listedPlugin is a plugin of a catalog.
type listedPlugin struct {
	Catalog string `json:"catalog"`
	*v1alpha1.CatalogPlugin
	// Chosen is the version that the bare name means, empty if it means none.
	Chosen string `json:"chosen,omitempty"`
}

func listed(documents []*resolve.CatalogDocument, all *resolve.Catalog) *Listing {
	listing := &Listing{Key: "plugins", Titles: []string{"PLUGIN", "CATALOG", "VERSIONS", "CHOSEN", "CHANNELS", "NOTE"}}
	plugins := []listedPlugin{}
	for _, document := range documents {
		for i := range document.Spec.Plugins {
			one := listedPlugin{Catalog: document.Name, CatalogPlugin: &document.Spec.Plugins[i]}
			if choice, err := all.Choose(one.Name); err == nil {
				one.Chosen = choice.Version().String()
			}
			plugins = append(plugins, one)
			listing.Rows = append(listing.Rows, []string{one.Name, one.Catalog, strconv.Itoa(len(one.Versions)), one.Chosen,
				channels(one.CatalogPlugin), Note("", one.Deprecated, one.Description)})
		}
	}
	listing.JSON = plugins
	return listing
}

func channels(p *v1alpha1.CatalogPlugin) string {
	texts := make([]string, 0, len(p.Channels))
	for _, name := range slices.Sorted(maps.Keys(p.Channels)) {
		texts = append(texts, name+"="+p.Channels[name])
	}
	return strings.Join(texts, " ")
}

// openCatalogs reads the Catalog documents below some paths, and all that the paths say about plugins.
func openCatalogs(c *cobra.Command, in *Inputs, paths []string) ([]*resolve.CatalogDocument, *resolve.Catalog, error) {
	items, err := in.Read(paths, c.InOrStdin())
	if err != nil {
		return nil, nil, err
	}
	var documents []*resolve.CatalogDocument
	for _, item := range ofKind(contract.Catalog, items) {
		document, err := readCatalog(item)
		if err != nil {
			return nil, nil, err
		}
		documents = append(documents, document)
	}
	if len(documents) == 0 {
		return nil, nil, Refuse(fmt.Errorf("there is no %s document in %q: %s catalog index writes one",
			contract.Catalog, paths, c.Root().CommandPath()))
	}
	return documents, resolve.NewCatalog(items), nil
}

func versionsCommand(features []extension.Extension, extensions []Extension) *cobra.Command {
	command := &cobra.Command{
		Use: "versions NAME [PATH...]", Args: Arguments(1, -1),
		Short: "List the versions of a plugin or a Crossplane package",
		Long: "The versions are those of all catalogs below the paths (default: the working directory and the\n" +
			"catalogs of rplug.yaml), the highest first.",
		Example: "  rplug catalog versions hello-db catalog.yaml",
	}
	in := Inputs{Features: features, ReadsCatalogs: true}
	output := OutputFlag(command)
	command.RunE = func(c *cobra.Command, args []string) error {
		documents, all, err := openCatalogs(c, &in, in.PathsFrom(args, 1))
		if err != nil {
			return err
		}
		for _, e := range extensions {
			if e.Versions == nil {
				continue
			}
			if one := e.Versions(documents, args[0]); one != nil {
				return printListings(c.OutOrStdout(), []*Listing{one}, *output)
			}
		}
		versions, found := versionsOf(args[0], documents)
		if !found {
			_, err = all.Choose(args[0])
			return Refuse(cmp.Or(err, fmt.Errorf("no catalog lists a plugin or package %q", args[0])))
		}
		return printListings(c.OutOrStdout(), []*Listing{versions}, *output)
	}
	command.ValidArgsFunction = FirstArgument(in.CompleteNames(PluginNames))
	return in.ReadProject(command)
}

// listedVersion is a version of a plugin in a catalog.
type listedVersion struct {
	Catalog string `json:"catalog"`
	*v1alpha1.CatalogVersion
}

// versionsOf returns the versions of a plugin, those of each catalog sorted, and whether a catalog lists the plugin.
func versionsOf(name string, documents []*resolve.CatalogDocument) (listing *Listing, found bool) {
	listing = &Listing{Key: "versions", Titles: []string{"VERSION", "CATALOG", "RELEASED", "KUBERNETES", "DIGEST", "NOTE"}}
	versions := []listedVersion{}
	for _, document := range documents {
		p := document.Plugin(name)
		if p == nil {
			continue
		}
		slices.SortFunc(p.Versions, func(a, b v1alpha1.CatalogVersion) int {
			return resolve.CompareVersions(a.Version, b.Version)
		})
		found = true
		for i := range p.Versions {
			v := &p.Versions[i]
			versions = append(versions, listedVersion{document.Name, v})
			kubernetes := ""
			if v.Requires.Kubernetes != "" {
				kubernetes = v.Requires.Kubernetes + "+"
			}
			listing.Rows = append(listing.Rows, []string{v.Version, document.Name, v.Released, kubernetes, v.Digest,
				Note(v.Yanked, v.Deprecated, v.Description)})
		}
	}
	listing.JSON = versions
	return listing, found
}

// Note is why a plugin or a version should not be chosen, else its description.
func Note(yanked, deprecated, description string) string {
	var texts []string
	if yanked != "" {
		texts = append(texts, "yanked: "+yanked)
	}
	if deprecated != "" {
		texts = append(texts, "deprecated: "+deprecated)
	}
	return cmp.Or(strings.Join(texts, "; "), description)
}
