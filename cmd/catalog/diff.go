package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/difference"
	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
)

func diffCommand() command {
	return command{
		name: "diff", usage: "OLD NEW", least: 2, most: 2,
		purpose: "tells how two states of a catalog differ",
		details: "Lines begin with + for what is new and ~ for what is told otherwise. A published version that is\n" +
			"gone or has another digest begins with !, and makes the exit code 1.",
		example: "git show main:catalog.yaml > old.yaml && catalog diff old.yaml catalog.yaml",
		prepare: func(*pflag.FlagSet) func(*call) error {
			return func(c *call) error {
				older, err := documents.ReadCatalog(c.args[0])
				if err != nil {
					return err
				}
				newer, err := documents.ReadCatalog(c.args[1])
				if err != nil {
					return err
				}
				changes := difference.Compare(older, newer)
				for _, change := range changes {
					fmt.Fprintln(&c.out, documents.Printable(change.String()))
				}
				if broken := difference.Broken(changes); len(broken) > 0 {
					return refuse(fmt.Errorf("%s must keep what %s has published: see the lines that begin with ! above",
						c.args[1], c.args[0]))
				}
				return nil
			}
		},
	}
}
