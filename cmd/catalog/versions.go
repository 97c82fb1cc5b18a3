package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/cmd/catalog/internal/documents"
)

func versionsCommand() command {
	return command{
		name: "versions", usage: "NAME [PATH...]", least: 1, most: -1,
		purpose: "lists the versions of a plugin",
		details: "The versions are those of all catalogs below the paths (default: the working directory), the\n" +
			"highest first.",
		example: "catalog versions hello-db catalog.yaml",
		prepare: func(*pflag.FlagSet) func(*call) error {
			return func(c *call) error {
				shelves, err := open(c, c.paths(1))
				if err != nil {
					return err
				}
				return shelves.versions(c, c.args[0])
			}
		},
	}
}

func (s *shelves) versions(c *call, name string) error {
	table := newTable(c, "VERSION", "CATALOG", "RELEASED", "KUBERNETES", "DIGEST", "NOTE")
	found := false
	for _, list := range s.lists {
		p := list.Plugin(name)
		if p == nil {
			continue
		}
		found = true
		slices.SortFunc(p.Versions, func(a, b v1alpha1.CatalogVersion) int { return documents.HighestFirst(a.Version, b.Version) })
		for i := range p.Versions {
			v := &p.Versions[i]
			table.row(v.Version, list.Metadata.Name, v.Released, atLeast(v), v.Digest, remark(v))
		}
	}
	if found {
		return table.end()
	}
	_, err := s.all.Choose(name)
	if err == nil {
		err = fmt.Errorf("no catalog lists plugin %q", name)
	}
	return refuse(err)
}

func atLeast(v *v1alpha1.CatalogVersion) string {
	if v.Requires == nil || v.Requires.Kubernetes == "" {
		return ""
	}
	return v.Requires.Kubernetes + "+"
}

func remark(v *v1alpha1.CatalogVersion) string {
	var texts []string
	if v.Yanked != "" {
		texts = append(texts, "yanked: "+v.Yanked)
	}
	if v.Deprecated != "" {
		texts = append(texts, "deprecated: "+v.Deprecated)
	}
	if len(texts) == 0 {
		return v.Description
	}
	return strings.Join(texts, "; ")
}
