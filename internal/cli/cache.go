package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// openCache returns the cache of the folder. The error explains why it cannot be used, if that is worth a note. The cache
// is nil if documents cannot be read twice, or are compared with an older state.
func (f *Folder) openCache(r *run) (*incremental.Cache, error) {
	if f.NoCache || r.Base != "" || r.BaseRef != "" || slices.Contains(r.paths, load.Stdin) {
		return nil, nil
	}
	settings := r.cacheSettings() + fmt.Sprintf("%t %t\n", f.FilePer == perObject, f.Kustomization)
	cache, err := incremental.Open(incremental.Options{Folder: f.folder(), Settings: settings})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return cache, err
}

// cacheSettings returns the settings that rendered files and findings depend on, besides the documents.
func (r *run) cacheSettings() string {
	var text strings.Builder
	for _, field := range append(fieldsOf(r.config), fieldsOf(&r.reading)...) {
		fmt.Fprintf(&text, "%s: %q\n", field.Key, fmt.Sprint(field.value.Interface()))
	}
	fmt.Fprintf(&text, "%q %q %q %q %+q\n", r.Name, BuildVersion(), r.paths, r.catalogs, r.project.Exclusions())
	return text.String()
}

// build builds the folder.
func (f *Folder) build(ctx context.Context, r *run, cache *incremental.Cache) (c *checked, done FolderReport, err error) {
	options := f.options(r)
	options.Cache = cache
	c, err = r.readAndProcess(steps{
		exclude: f.withoutFolder(), cache: cache, newSink: func(*load.Package, *krm.ResourceList) sink {
			return &inFolder{f.Open(options), r}
		},
	})
	if err != nil {
		return nil, done, err
	}
	if c.results.Failed() {
		c.summary = "nothing written: fix the errors above"
		return c, done, nil
	}
	if done, err = f.write(ctx, r, c); err != nil {
		return nil, done, err
	}
	c.summary += "; " + done.Summary
	c.results = append(c.results, done.Results...).Sort()
	return c, done, nil
}

// saveCache saves the cache if documents were rendered in parts. With --verbose, it prints why nothing was reused or
// saved.
func (f *Folder) saveCache(
	ctx context.Context, r *run, c *checked, done FolderReport, cache *incremental.Cache, unused error,
) {
	if c.sink == nil {
		return
	}
	if isRendered := done.Summary != ""; isRendered {
		unused = cmp.Or(unused, cache.Save(ctx, c.read))
	}
	if unused != nil && r.Verbose {
		Complain(r.stderr, r.Command, "cache is not used: "+unused.Error())
	}
}
