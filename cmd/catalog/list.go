package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func listCommand() command {
	return command{
		name: "list", usage: "[PATH...]", most: -1,
		purpose: "lists the plugins of catalogs",
		details: "CHOSEN is what the bare name means, over all catalogs, plugins and locks below the paths\n" +
			"(default: the working directory).",
		example: "catalog list catalog.yaml",
		prepare: func(*pflag.FlagSet) func(*call) error {
			return func(c *call) error {
				shelves, err := open(c, c.paths(0))
				if err != nil {
					return err
				}
				table := newTable(c, "PLUGIN", "CATALOG", "VERSIONS", "CHOSEN", "CHANNELS", "NOTE")
				for _, s := range shelves.lists {
					for i := range s.Spec.Plugins {
						p := &s.Spec.Plugins[i]
						table.row(p.Name, s.Metadata.Name, strconv.Itoa(len(p.Versions)), shelves.chosen(p.Name), channels(p),
							deprecated(p.Deprecated, p.Description))
					}
				}
				return table.end()
			}
		},
	}
}

// shelves are the catalogs below some paths.
type shelves struct {
	lists []*resolve.CatalogDocument
	all   *resolve.Catalog
}

func open(c *call, paths []string) (*shelves, error) {
	items, err := documents.Read(paths, nil, c.stdin)
	if err != nil {
		return nil, err
	}
	s := &shelves{all: resolve.NewCatalog(items)}
	for _, item := range documents.Of(contract.Catalog, items) {
		list, err := documents.Sound(item)
		if err != nil {
			return nil, err
		}
		s.lists = append(s.lists, list)
	}
	if len(s.lists) == 0 {
		return nil, refuse(fmt.Errorf("there is no %s document in %q: catalog index writes one", contract.Catalog, paths))
	}
	return s, nil
}

// chosen returns the version that a bare name means, a dash where it means none.
func (s *shelves) chosen(name string) string {
	choice, err := s.all.Choose(name)
	if err != nil {
		return "-"
	}
	return choice.Name.Version.String()
}

func channels(p *v1alpha1.CatalogPlugin) string {
	texts := make([]string, 0, len(p.Channels))
	for _, name := range slices.Sorted(maps.Keys(p.Channels)) {
		texts = append(texts, name+"="+p.Channels[name])
	}
	return strings.Join(texts, " ")
}

func deprecated(reason, otherwise string) string {
	if reason != "" {
		return "deprecated: " + reason
	}
	return otherwise
}

// table prints rows in columns.
type table struct{ writer *tabwriter.Writer }

func newTable(c *call, titles ...string) table {
	t := table{tabwriter.NewWriter(&c.out, 0, 0, 2, ' ', tabwriter.StripEscape)}
	t.row(titles...)
	return t
}

// row prints texts; of a text that is long, or has several lines, the beginning.
func (t table) row(texts ...string) {
	cells := make([]string, len(texts))
	for i, text := range texts {
		text, _, _ = strings.Cut(text, "\n")
		if runes := []rune(text); len(runes) > longest {
			text = string(runes[:longest-1]) + "…"
		}
		if cells[i] = documents.Printable(text); text == "" {
			cells[i] = "-"
		}
	}
	_, _ = fmt.Fprintln(t.writer, strings.Join(cells, "\t"))
}

func (t table) end() error { return t.writer.Flush() }

// longest is how many characters of a text a table shows: a digest in full.
const longest = 72
