package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/artifact"
	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/place"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

func pushCommand() command {
	return command{
		name: "push", usage: "REF [PATH...]", least: 1, most: -1,
		purpose: "stores a catalog with its plugins in a registry",
		details: "REF is REGISTRY/REPOSITORY:TAG, or with --oci-layout DIR:TAG. Plugin documents are those below\n" +
			"the paths (default: the catalog's folder): one for each version that is listed. What the tag has\n" +
			"published already must be kept. Credentials are those in docker's config.json; helper programs\n" +
			"are not run.",
		example: "catalog push registry.example.com/platform/plugins:v1 --catalog plugins/catalog.yaml",
		prepare: func(flags *pflag.FlagSet) func(*call) error {
			o := &pushing{}
			flags.StringVarP(&o.file, "catalog", "c", "catalog.yaml", "the catalog's `FILE`")
			o.set = setFlag(flags)
			placeFlags(flags, &o.Options)
			return o.run
		},
	}
}

type pushing struct {
	place.Options
	file string
	set  variables
}

// placeFlags declares the flags that say how a reference is meant.
func placeFlags(flags *pflag.FlagSet, o *place.Options) {
	flags.BoolVar(&o.Layout, "oci-layout", false, "REF is a folder in OCI layout, DIR:TAG or DIR@DIGEST")
	flags.BoolVar(&o.PlainHTTP, "plain-http", false, "do not encrypt; a registry on this machine never is")
}

func (o *pushing) run(c *call) error {
	if strings.Contains(c.args[0], "@") {
		return fmt.Errorf("%q must have a tag, not a digest", c.args[0])
	}
	paths := c.args[1:]
	if len(paths) == 0 {
		paths = []string{filepath.Dir(o.file)}
	}
	list, err := documents.ReadCatalog(o.file)
	if err != nil {
		return err
	}
	items, err := documents.Read(paths, o.set, c.stdin)
	if err != nil {
		return err
	}
	bundle, err := artifact.Pack(list, documents.Of(contract.ResourcePlugin, items), filepath.Dir(o.file))
	if err != nil {
		return refuse(err)
	}
	ctx := context.Background()
	target, tag, err := place.Writing(ctx, c.args[0], o.Options)
	if err != nil {
		return err
	}
	sum, err := artifact.Push(ctx, target, tag, bundle)
	if err != nil {
		return refuse(err)
	}
	fmt.Fprintln(&c.out, sum)
	return nil
}
