package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/artifact"
	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/place"
)

func pullCommand() command {
	return command{
		name: "pull", usage: "REF DIR", least: 2, most: 2,
		purpose: "fetches a catalog with its plugins from a registry, and verifies them",
		details: "REF is REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@DIGEST, or with --oci-layout DIR:TAG or\n" +
			"DIR@DIGEST. The OCI digests and the digests that the catalog has of its plugins must be right\n" +
			"before anything is written. A catalog in DIR must be kept by the one that comes, and no plugin\n" +
			"document in DIR is replaced by another.",
		example: "catalog pull registry.example.com/platform/plugins:v1 plugins/",
		prepare: func(flags *pflag.FlagSet) func(*call) error {
			o := &place.Options{}
			placeFlags(flags, o)
			return func(c *call) error {
				ctx := context.Background()
				target, reference, err := place.Reading(ctx, c.args[0], *o)
				if err != nil {
					return err
				}
				bundle, sum, err := artifact.Fetch(ctx, target, reference)
				if err != nil {
					return refuse(err)
				}
				changed, err := bundle.Unpack(c.args[1])
				if err != nil {
					return refuse(err)
				}
				fmt.Fprintln(&c.out, sum)
				for _, name := range changed {
					fmt.Fprintln(&c.out, name)
				}
				return nil
			}
		},
	}
}
