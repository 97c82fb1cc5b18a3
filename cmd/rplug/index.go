package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func indexCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "index DIR", Args: arguments(1, 1),
		Short: "Write or update a catalog from a folder of plugin documents",
		Long: "Every plugin document below DIR, native ones included, is checked against the rules of plugins\n" +
			"and listed with its digest. A version that is listed stays as it is: a document that differs from\n" +
			"it is refused, and a version whose document is gone stays listed. If anything is wrong nothing is\n" +
			"written. The file is replaced as a whole, and only if the catalog changes; comments in it are not\n" +
			"kept then.",
		Example: "  rplug catalog index plugins/ --name platform --released 2026-01-20\n  rplug catalog index plugins/ --check",
	}
	flags := command.Flags()
	catalogFile := flags.StringP("catalog", "c", "", "the catalog's `FILE`; default DIR/catalog.yaml")
	name := flags.String("name", "plugins", "`NAME` of a catalog that is new")
	released := flags.String("released", "", "the `DAY` to note for new versions, such as 2026-01-20")
	set := setFlag(flags)
	check := flags.Bool("check", false, "write nothing; exit code 1 if the catalog is not up to date")
	command.RunE = func(c *cobra.Command, args []string) error {
		file := cmp.Or(*catalogFile, filepath.Join(args[0], "catalog.yaml"))
		items, err := readDocuments(args, set, nil)
		if err != nil {
			return err
		}
		catalog, err := readCatalogFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			catalog, err = resolve.NewCatalogDocument(*name), nil
		}
		if err != nil {
			return err
		}
		if flags.Changed("name") && catalog.Name != *name {
			return fmt.Errorf("the catalog is called %q: --name cannot change it", catalog.Name)
		}
		added, results, err := resolve.Publish(catalog, ofKind(contract.ResourcePlugin, items),
			resolve.PublishOptions{Released: *released, Folder: filepath.Dir(file)})
		if err == nil {
			err = report.Refused(results)
		}
		if err != nil {
			return err
		}
		if warnings := report.FindingsError(results).Error(); warnings != "" {
			c.PrintErrln(warnings)
		}
		for _, name := range added {
			fmt.Fprintln(c.OutOrStdout(), name)
		}
		if !*check {
			return writeCatalog(file, catalog)
		}
		if len(added) > 0 {
			return refuse(fmt.Errorf("%s must list %d more: run rplug catalog index and commit the file", file, len(added)))
		}
		return nil
	}
	return command
}
