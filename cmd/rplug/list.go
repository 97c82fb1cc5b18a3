package main

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
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list [PATH...]", Args: arguments(0, -1), RunE: list,
		Short: "List the plugins of catalogs",
		Long: "CHOSEN is what the bare name means, over all catalogs, plugins and locks below the paths\n" +
			"(default: the working directory).",
		Example: "  rplug catalog list catalog.yaml",
	}
}

func list(c *cobra.Command, args []string) error {
	documents, all, err := openCatalogs(c, pathsFrom(args, 0))
	if err != nil {
		return err
	}
	table := newTable(c.OutOrStdout(), "PLUGIN", "CATALOG", "VERSIONS", "CHOSEN", "CHANNELS", "NOTE")
	for _, document := range documents {
		for i := range document.Spec.Plugins {
			p := &document.Spec.Plugins[i]
			chosen := "-"
			if choice, err := all.Choose(p.Name); err == nil {
				chosen = choice.Version().String()
			}
			table.row(p.Name, document.Name, strconv.Itoa(len(p.Versions)), chosen, channels(p),
				note("", p.Deprecated, p.Description))
		}
	}
	return table.writer.Flush()
}

func channels(p *v1alpha1.CatalogPlugin) string {
	texts := make([]string, 0, len(p.Channels))
	for _, name := range slices.Sorted(maps.Keys(p.Channels)) {
		texts = append(texts, name+"="+p.Channels[name])
	}
	return strings.Join(texts, " ")
}

// openCatalogs reads the Catalog documents below some paths, and all that the paths say about plugins.
func openCatalogs(c *cobra.Command, paths []string) ([]*resolve.CatalogDocument, *resolve.Catalog, error) {
	items, err := readDocuments(paths, nil, c.InOrStdin())
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
		return nil, nil, refuse(fmt.Errorf("there is no %s document in %q: rplug catalog index writes one",
			contract.Catalog, paths))
	}
	return documents, resolve.NewCatalog(items), nil
}

func versionsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "versions NAME [PATH...]", Args: arguments(1, -1), RunE: listVersions,
		Short: "List the versions of a plugin",
		Long: "The versions are those of all catalogs below the paths (default: the working directory), the\n" +
			"highest first.",
		Example: "  rplug catalog versions hello-db catalog.yaml",
	}
}

func listVersions(c *cobra.Command, args []string) error {
	documents, all, err := openCatalogs(c, pathsFrom(args, 1))
	if err != nil {
		return err
	}
	table := newTable(c.OutOrStdout(), "VERSION", "CATALOG", "RELEASED", "KUBERNETES", "DIGEST", "NOTE")
	found := false
	for _, document := range documents {
		p := document.Plugin(args[0])
		if p == nil {
			continue
		}
		found = true
		slices.SortFunc(p.Versions, func(a, b v1alpha1.CatalogVersion) int {
			return resolve.CompareVersions(a.Version, b.Version)
		})
		for i := range p.Versions {
			v := &p.Versions[i]
			kubernetes := ""
			if v.Requires.Kubernetes != "" {
				kubernetes = v.Requires.Kubernetes + "+"
			}
			table.row(v.Version, document.Name, v.Released, kubernetes, v.Digest, note(v.Yanked, v.Deprecated, v.Description))
		}
	}
	if found {
		return table.writer.Flush()
	}
	_, err = all.Choose(args[0])
	return refuse(cmp.Or(err, fmt.Errorf("no catalog lists plugin %q", args[0])))
}

// note is why a plugin or a version should not be chosen, else its description.
func note(yanked, deprecated, description string) string {
	var texts []string
	if yanked != "" {
		texts = append(texts, "yanked: "+yanked)
	}
	if deprecated != "" {
		texts = append(texts, "deprecated: "+deprecated)
	}
	return cmp.Or(strings.Join(texts, "; "), description)
}
