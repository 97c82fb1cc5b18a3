package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/publish"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func indexCommand() command {
	return command{
		name: "index", usage: "DIR", least: 1, most: 1,
		purpose: "writes or updates a catalog from a folder of plugin documents",
		details: "Every plugin document below DIR, native ones included, is checked against the rules of plugins\n" +
			"and listed with its digest. A version that is listed stays as it is: a document that differs from\n" +
			"it is refused, and a version whose document is gone stays listed. Nothing is written where\n" +
			"anything is wrong. The file is replaced as a whole, and only when it says something else;\n" +
			"comments in it are not kept then.",
		example: "catalog index plugins/ --name platform --released 2026-01-20\ncatalog index plugins/ --check",
		prepare: func(flags *pflag.FlagSet) func(*call) error {
			o := &indexing{}
			flags.StringVarP(&o.file, "catalog", "c", "", "the catalog's `FILE`; default DIR/catalog.yaml")
			flags.StringVar(&o.name, "name", "plugins", "`NAME` of a catalog that is new")
			flags.StringVar(&o.released, "released", "", "the `DAY` to note for new versions, such as 2026-01-20")
			o.set = setFlag(flags)
			flags.BoolVar(&o.check, "check", false, "write nothing; exit code 1 if the catalog is not up to date")
			return o.run
		},
	}
}

type indexing struct {
	file, name, released string
	set                  variables
	check                bool
}

func (o *indexing) run(c *call) error {
	if o.file == "" {
		o.file = filepath.Join(c.args[0], "catalog.yaml")
	}
	items, err := documents.Read(c.args[:1], o.set, nil)
	if err != nil {
		return err
	}
	list, err := o.open()
	if err != nil {
		return err
	}
	plugins := documents.Of(contract.ResourcePlugin, items)
	added, warnings, err := publish.Add(list, plugins, publish.Options{Released: o.released, Folder: filepath.Dir(o.file)})
	if err != nil {
		return err
	}
	c.note(warnings)
	for _, name := range added {
		fmt.Fprintf(&c.out, "%s\n", name)
	}
	if o.check {
		if len(added) > 0 {
			return refuse(fmt.Errorf("%s must list %d more: run catalog index and commit the file", o.file, len(added)))
		}
		return nil
	}
	_, err = documents.WriteCatalog(o.file, list)
	return err
}

// open reads the catalog, or begins one.
func (o *indexing) open() (*resolve.CatalogDocument, error) {
	list, err := documents.ReadCatalog(o.file)
	if errors.Is(err, fs.ErrNotExist) {
		return resolve.NewCatalogDocument(o.name), nil
	}
	return list, err
}

// note tells warnings on stderr.
func (c *call) note(results krm.Results) {
	for _, result := range results {
		if result.Severity == krm.Info {
			continue
		}
		c.notes.WriteString(documents.Line(result) + "\n")
	}
}
