package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/project"
	"github.com/resource-plugins/krm-functions/internal/renderdiff"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/stackrender"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// isPath reports whether an argument can only be a file or folder: stdin, what is written as a path, or what has the
// extension of a document.
func isPath(arg string) bool {
	for _, prefix := range []string{"./", "../", "/", "~"} {
		if strings.HasPrefix(arg, prefix) {
			return true
		}
	}
	switch filepath.Ext(arg) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return arg == load.Stdin || arg == "." || arg == ".." || strings.HasSuffix(arg, "/") || filepath.IsAbs(arg)
}

// sourceOf returns what an argument means. One that is a path and a revision as well is an error.
func sourceOf(arg string, paths []string) (source, error) {
	if isPath(arg) {
		return onDisk(arg), nil
	}
	_, notFound := os.Stat(arg)
	revision, err := load.OpenRevision(arg, load.MaxFile)
	if err == nil {
		err = revision.Close()
	}
	switch {
	case err == nil && notFound == nil:
		return source{}, fmt.Errorf("%q is a git revision and a path: write ./%s, or --base-ref %s", arg, arg, arg)
	case err == nil:
		return source{name: arg, revision: arg, paths: paths}, nil
	case notFound == nil:
		return onDisk(arg), nil
	}
	return source{}, fmt.Errorf("%q must be a file, a folder or a git revision: %w", arg, err)
}

// reading is how both sides are read.
type reading struct {
	load.Options

	exclude []load.Exclusion
	// catalogs are read with the paths.
	catalogs []string
}

// options returns how documents are read: as flags and the project file say.
func (f *diffFlags) options(c *cobra.Command) (reading, error) {
	r := reading{Options: load.Options{Values: map[string]string{}, Input: c.InOrStdin()}}
	if !f.noProject {
		found, err := project.Find(".")
		if err != nil {
			return r, err
		}
		if found != nil {
			if err := f.apply(&r, found, c.Flags().Changed); err != nil {
				return r, err
			}
		}
	}
	r.exclude = append(r.exclude, load.Exclusion{Patterns: f.exclude, From: ".", Source: "--exclude"})
	more, err := project.ReadValues(f.values)
	maps.Copy(r.Values, more)
	maps.Copy(r.Values, f.set)
	f.chain.Sandbox.Cluster = f.chain.Render.Cluster
	return r, err
}

// apply sets what the project file says and no flag does.
func (f *diffFlags) apply(r *reading, found *project.Project, given func(flag string) bool) error {
	maps.Copy(r.Values, found.Values)
	f.chain.Validate.Rules = found.Rules
	if found.Cluster != "" && !given("cluster") {
		f.chain.Render.Cluster = found.Cluster
	}
	if found.HelperImage != "" && !given("helper-image") {
		f.chain.Render.HelperImage = found.HelperImage
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	folder, err := filepath.Rel(here, filepath.Dir(found.File))
	if err != nil {
		return err
	}
	r.exclude = append(r.exclude, load.Exclusion{Patterns: found.Exclude, From: folder, Source: project.FileName})
	for _, catalog := range found.Catalogs {
		r.catalogs = append(r.catalogs, filepath.Join(folder, catalog))
	}
	return nil
}

// side reads a side, and renders it unless it is rendered already.
func (f *diffFlags) side(of source, how reading) (*renderdiff.Side, error) {
	items, err := of.read(how)
	if err != nil {
		return nil, err
	}
	var specs, rendered []*krm.Item
	isLive := of.live
	for _, item := range items {
		if !renderdiff.IsRendered(item) {
			specs = append(specs, item)
			continue
		}
		rendered = append(rendered, item)
		_, hasID := krm.Path("metadata.uid").Find(item.YNode())
		isLive = isLive || hasID
	}
	list := krm.NewList(specs...)
	asks := len(list.Of(contract.APIVersion, contract.Sandbox, contract.RouteGroup)) > 0 || len(stackrender.Requests(list)) > 0
	switch {
	case of.live || isLive && !asks:
		return renderdiff.NewLiveSide(of.name, rendered), nil
	case len(rendered) > 0 && !asks:
		return renderdiff.NewSide(of.name, rendered, specs), nil
	}
	result, err := f.chain.Run(list)
	if err != nil {
		return nil, flagError(err)
	}
	return renderdiff.NewSide(of.name, result.Objects, specs), report.Refused(list.Results())
}

// flagError words what is wrong with options as what is wrong with flags.
func flagError(err error) error {
	var wrong krm.OptionErrors
	if !errors.As(err, &wrong) {
		return err
	}
	var errs []error
	for _, one := range wrong {
		errs = append(errs, fmt.Errorf("%s: %s", cli.FlagName(one.Option), one.Message))
	}
	return errors.Join(errs...)
}

// read returns the documents of a side.
func (s source) read(how reading) ([]*krm.Item, error) {
	paths := append(append([]string{}, s.paths...), how.catalogs...)
	place := func(path string) (string, error) { return path, nil }
	if s.live {
		paths, how.exclude = s.paths, nil
	}
	if s.revision != "" {
		revision, err := load.OpenRevision(s.revision, load.MaxFile)
		if err != nil {
			return nil, err
		}
		defer func() { _ = revision.Close() }()
		how.Files, how.Label, place = revision, s.revision+":", revision.Path
		for i := range paths {
			if paths[i], err = place(paths[i]); err != nil {
				return nil, err
			}
		}
	}
	for _, one := range how.exclude {
		from, err := place(one.From)
		if err != nil {
			return nil, err
		}
		one.From = from
		how.Exclude = append(how.Exclude, one)
	}
	return readWith(paths, how.Options)
}
