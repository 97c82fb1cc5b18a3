package review

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/review/renderdiff"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// configure completes the options with settings of the project file that no flag overrides, and returns how documents are
// read.
func (f *diffFlags) configure(c *cobra.Command) (load.Options, error) {
	if found := f.inputs.Project; found != nil {
		f.chain.Validate.Rules = found.Rules
		found.Configure(&f.chain.Resolve, &f.chain.Render, &f.chain.Sandbox, c.Flags().Changed)
	}
	f.chain.Sandbox.Cluster = f.chain.Render.Cluster
	options, err := f.inputs.Options(c.InOrStdin())
	options.Exclude = append(options.Exclude, load.Exclusion{Patterns: f.exclude, From: ".", Source: "--exclude"})
	return options, err
}

// side reads a side, and renders it unless it is rendered already. Sandboxes of the cache, which may be nil, are left out.
func (f *diffFlags) side(of diffSource, how load.Options, cache *incremental.Cache) (*side, error) {
	var parts *build.Parts
	if cache != nil {
		parts = f.inParts(f.chain, cache)
		how.Postpone, how.Reuse = parts, parts
	}
	read, err := of.read(how, f.inputs.Catalogs)
	cache.Leave()
	if errors.Is(err, load.ErrReused) {
		return nil, incremental.ErrStale
	}
	if err != nil {
		return nil, err
	}
	if len(read.Postponed) > 0 {
		if s, err := f.sideInParts(of, read, parts, cache); s != nil || err != nil {
			return s, err
		}
	}
	if cache.IsReused() {
		return nil, incremental.ErrStale
	}
	if read, err = read.All(); err != nil {
		return nil, err
	}
	return f.wholeSide(of, read)
}

// sideInParts renders a side of which documents were postponed; nil if all are needed at once.
func (f *diffFlags) sideInParts(
	of diffSource, read *load.Package, parts *build.Parts, cache *incremental.Cache,
) (*side, error) {
	if err := report.Refused(read.Results()); err != nil {
		return nil, err
	}
	var mutex sync.Mutex
	var sandboxes []string
	var objects []*krm.Item
	list := read.List()
	_, done, err := parts.Run(f.chain, cli.Call{List: list}, cli.Postponed{
		Len: len(read.Postponed),
		Read: func(i int) (load.Document, int, bool) {
			d, place, ok := read.Read(i)
			mutex.Lock()
			defer mutex.Unlock()
			sandboxes = append(sandboxes, d.Item.Name())
			return d, place, ok
		},
		Print: func(shared, others []*krm.Item) error {
			for _, item := range others {
				text, err := item.Bytes()
				if err != nil {
					return err
				}
				name := build.OwnerOf(item, text).Name
				cache.Object(strings.ToLower(name), name, len(text))
			}
			objects = append(append(objects, shared...), others...)
			return nil
		},
	})
	if err != nil || !done || list.Results().Failed() {
		return nil, err
	}
	s := &side{Side: renderdiff.NewSide(of.name, objects, list.Items()), read: read}
	s.AddSandboxes(sandboxes...)
	if cluster := f.chain.Render.Cluster; cluster != "" {
		s.clusters = []string{cluster}
	}
	return s, nil
}

// wholeSide renders a side with all documents at once.
func (f *diffFlags) wholeSide(of diffSource, read *load.Package) (*side, error) {
	if err := report.Refused(read.Results()); err != nil {
		return nil, err
	}
	var specs, rendered []*krm.Item
	isLive := of.live
	for _, d := range read.Documents {
		if !renderdiff.IsRendered(d.Item) {
			specs = append(specs, d.Item)
			continue
		}
		rendered = append(rendered, d.Item)
		_, hasID := krm.Path("metadata.uid").Find(d.Item.YNode())
		isLive = isLive || hasID
	}
	list := krm.NewList(specs...)
	asks := len(list.Of(contract.APIVersion, contract.Sandbox, contract.RouteGroup)) > 0 ||
		slices.ContainsFunc(specs, func(item *krm.Item) bool { return extension.Ask(f.inputs.Features, item) })
	switch {
	case of.live || isLive && !asks:
		return &side{Side: renderdiff.NewLiveSide(of.name, rendered)}, nil
	case len(rendered) > 0 && !asks:
		return &side{Side: renderdiff.NewSide(of.name, rendered, specs)}, nil
	}
	s := &side{}
	for _, item := range list.Of(contract.APIVersion, contract.Sandbox) {
		read, _ := document.ReadSandbox(item)
		s.clusters = append(s.clusters, read.Cluster())
	}
	result, err := f.chain.Run(list)
	if err != nil {
		return nil, flagError(err)
	}
	s.Side = renderdiff.NewSide(of.name, result.Objects, specs)
	return s, report.Refused(list.Results())
}

// checkCluster refuses a cluster of which neither side has a sandbox: nothing would be compared.
func (f *diffFlags) checkCluster(clusters []string) error {
	cluster := f.chain.Render.Cluster
	if cluster == "" || len(clusters) == 0 || slices.Contains(clusters, cluster) {
		return nil
	}
	slices.Sort(clusters)
	known := strictyaml.Listed(slices.Compact(clusters))
	if near, _ := strictyaml.Nearest(cluster, clusters); near != "" {
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
