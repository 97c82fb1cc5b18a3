package rplug

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func indexCommand(features []extension.Extension) *cobra.Command {
	command := &cobra.Command{
		Use: "index DIR", Args: Arguments(1, 1),
		Short: "Write or update a catalog from a folder of plugins and packages",
		Long: "Every plugin document below DIR, native ones included, is checked against the rules of plugins\n" +
			"and listed with its digest; every Crossplane package whose image is known is listed with the\n" +
			"CRDs that it owns and what it depends on. A version that is listed stays as it is: a document\n" +
			"that differs from it is refused, and a version whose document is gone stays listed. If anything\n" +
			"is wrong nothing is written. The file is replaced only if the catalog changes, and comments stay\n" +
			"with the plugins and versions that they are about.",
		Example: "  rplug catalog index plugins/ --name platform --released 2026-01-20\n  rplug catalog index plugins/ --check",
	}
	flags := command.Flags()
	catalogFile := flags.StringP("catalog", "c", "", "the catalog's `FILE`; default DIR/catalog.yaml")
	name := flags.String("name", "plugins", "`NAME` of a catalog that is new")
	channel := flags.String("channel", "", "the `CHANNEL` that moves to new versions, such as stable")
	released := flags.String("released", "", "the `DAY` to note for new versions, such as 2026-01-20")
	in := Inputs{Features: features}
	check := flags.Bool("check", false, "write nothing; exit code 1 if the catalog is not up to date")
	command.RunE = func(c *cobra.Command, args []string) error {
		file := cmp.Or(*catalogFile, filepath.Join(args[0], "catalog.yaml"))
		items, err := in.Read(args, nil)
		if err != nil {
			return err
		}
		publish := func() (*resolve.CatalogDocument, error) {
			catalog, err := readCatalogFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				catalog, err = resolve.NewCatalogDocument(*name), nil
			}
			if err != nil {
				return nil, err
			}
			if flags.Changed("name") && catalog.Name != *name {
				return nil, fmt.Errorf("the catalog is called %q: --name cannot change it", catalog.Name)
			}
			options := resolve.PublishOptions{Released: *released, Channel: *channel, Folder: filepath.Dir(file)}
			added, err := publishTo(c, catalog, items, options, features)
			if err == nil && *check && len(added) > 0 {
				err = Refuse(fmt.Errorf("%s must list %d more: run %s and commit the file", file, len(added), c.CommandPath()))
			}
			return catalog, err
		}
		if *check {
			_, err := publish()
			return err
		}
		return updateCatalog(c.Context(), file, publish)
	}
	return in.ReadProject(command)
}

// publishTo lists plugins, and documents of features, in a catalog, prints the new versions and warnings, and returns the
// new versions.
func publishTo(
	c *cobra.Command, catalog *resolve.CatalogDocument, items []*krm.Item, options resolve.PublishOptions,
	features []extension.Extension,
) ([]string, error) {
	var others []string
	var results krm.Results
	for _, one := range extension.Resolvers(features) {
		listed, problems := one.Publish(catalog, items, options)
		others, results = append(others, listed...), append(results, problems...)
	}
	added, problems, err := resolve.Publish(catalog, ofKind(contract.ResourcePlugin, items), options)
	added, results = append(added, others...), append(problems, results...).Sort()
	if err == nil {
		err = report.Refused(results)
	}
	if err != nil {
		return nil, err
	}
	if warnings := report.FindingsError(results).Error(); warnings != "" {
		c.PrintErrln(warnings)
	}
	for _, name := range added {
		fmt.Fprintln(c.OutOrStdout(), name)
	}
	return added, nil
}
