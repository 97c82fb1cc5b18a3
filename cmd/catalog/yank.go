package main

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/publish"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func yankCommand() command {
	return command{
		name: "yank", usage: "NAME@VERSION", least: 1, most: 1,
		purpose: "notes why a version must not be chosen any more",
		details: "References that float never mean a yanked version. One that is pinned or locked to it resolves\n" +
			"with a warning, since what was created with it has to be removed with it: the version stays\n" +
			"listed.",
		example: "catalog yank hello-db@1.2.0 --reason 'leaves its database behind'",
		prepare: retracting(publish.Yank),
	}
}

func deprecateCommand() command {
	return command{
		name: "deprecate", usage: "NAME[@VERSION]", least: 1, most: 1,
		purpose: "notes why another version, or another plugin, should be chosen",
		details: "References that float mean a deprecated version only where no other fits; whatever means it gets\n" +
			"a warning. A name without a version deprecates the plugin as a whole.",
		example: "catalog deprecate hello-db@1.1.0 --reason 'has no index; 1.2 has'",
		prepare: retracting(publish.Deprecate),
	}
}

// retracting prepares a command that notes a reason.
func retracting(change func(*resolve.CatalogDocument, string, string) error) func(*pflag.FlagSet) func(*call) error {
	return func(flags *pflag.FlagSet) func(*call) error {
		file := flags.StringP("catalog", "c", "catalog.yaml", "the catalog's `FILE`")
		reason := flags.String("reason", "", "the `TEXT` that people get to read")
		undo := flags.Bool("undo", false, "take the reason back")
		return func(c *call) error {
			if *undo != (*reason == "") {
				return errors.New("one of --reason and --undo must be given")
			}
			if !*undo {
				if err := publish.CheckReason(*reason); err != nil {
					return err
				}
			}
			list, err := documents.ReadCatalog(*file)
			if err != nil {
				return err
			}
			if err := change(list, c.args[0], *reason); err != nil {
				return refuse(err)
			}
			_, err = documents.WriteCatalog(*file, list)
			return err
		}
	}
}
