package review

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/review/renderdiff"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// isPath reports whether an argument can only be a file or folder: stdin, a text that is written as a path, or one
// with the extension of a document.
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

// sourceOf returns the source that an argument names. An argument that is a path and a revision as well is an error.
func sourceOf(arg string, paths []string) (diffSource, error) {
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
		return diffSource{}, fmt.Errorf("%q is a git revision and a path: write ./%s, or --base-ref %s", arg, arg, arg)
	case err == nil:
		return diffSource{name: arg, revision: arg, paths: paths}, nil
	case notFound == nil:
		return onDisk(arg), nil
	}
	return diffSource{}, fmt.Errorf("%q must be a file, a folder or a git revision: %w", arg, err)
}

// configure completes the options with settings of the project file that no flag overrides, and returns how documents are
// read.
func (f *diffFlags) configure(c *cobra.Command) (load.Options, error) {
	if found := f.inputs.Project; found != nil {
		f.chain.Validate.Rules = found.Rules
		if found.Cluster != "" && !c.Flags().Changed("cluster") {
			f.chain.Render.Cluster = found.Cluster
		}
		if found.HelperImage != "" && !c.Flags().Changed("helper-image") {
			f.chain.Render.HelperImage = found.HelperImage
		}
		f.chain.Render.PodTemplateDefaults = found.PodTemplateDefaults
	}
	f.chain.Sandbox.Cluster = f.chain.Render.Cluster
	options, err := f.inputs.Options(c.InOrStdin())
	options.Exclude = append(options.Exclude, load.Exclusion{Patterns: f.exclude, From: ".", Source: "--exclude"})
	return options, err
}

// side reads a side, and renders it unless it is rendered already.
func (f *diffFlags) side(of diffSource, how load.Options) (*renderdiff.Side, error) {
	items, err := of.read(how, f.inputs.Catalogs)
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
	asks := len(list.Of(contract.APIVersion, contract.Sandbox, contract.RouteGroup)) > 0 ||
		slices.ContainsFunc(specs, func(item *krm.Item) bool { return extension.Ask(f.chain.Extensions, item) })
	switch {
	case of.live || isLive && !asks:
		return renderdiff.NewLiveSide(of.name, rendered), nil
	case len(rendered) > 0 && !asks:
		return renderdiff.NewSide(of.name, rendered, specs), nil
	}
	for _, item := range list.Of(contract.APIVersion, contract.Sandbox) {
		s, _ := document.ReadSandbox(item)
		f.clusters = append(f.clusters, s.Cluster())
	}
	result, err := f.chain.Run(list)
	if err != nil {
		return nil, flagError(err)
	}
	return renderdiff.NewSide(of.name, result.Objects, specs), report.Refused(list.Results())
}

// checkCluster refuses a cluster of which neither side has a sandbox: nothing would be compared.
func (f *diffFlags) checkCluster() error {
	cluster := f.chain.Render.Cluster
	if cluster == "" || len(f.clusters) == 0 || slices.Contains(f.clusters, cluster) {
		return nil
	}
	slices.Sort(f.clusters)
	known := strictyaml.Listed(slices.Compact(f.clusters))
	if near, _ := strictyaml.Nearest(cluster, f.clusters); near != "" {
		known = strconv.Quote(near)
	}
	return fmt.Errorf("--cluster: no sandbox of either side is of cluster %q: did you mean %s?", cluster, known)
}

// flagError returns errors of options as errors of flags.
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

// read returns the documents of a side, with those of catalogs.
func (s diffSource) read(how load.Options, catalogs []string) ([]*krm.Item, error) {
	if s.live {
		how.Exclude = nil
		return rplug.ReadWith(s.paths, how)
	}
	paths := slices.Concat(s.paths, catalogs)
	if s.revision == "" {
		return rplug.ReadWith(paths, how)
	}
	revision, err := load.OpenRevision(s.revision, load.MaxFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = revision.Close() }()
	how.Files, how.Label, how.Exclude = revision, s.revision+":", slices.Clone(how.Exclude)
	for i := range paths {
		if paths[i], err = revision.Path(paths[i]); err != nil {
			return nil, err
		}
	}
	for i := range how.Exclude {
		if how.Exclude[i].From, err = revision.Path(how.Exclude[i].From); err != nil {
			return nil, err
		}
	}
	return rplug.ReadWith(paths, how)
}
