package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// files is file mode.
func (r *run) files(ctx context.Context) int {
	allowGarbage()
	return r.mode().run(ctx, r)
}

// checked is the result of reading and processing the files.
type checked struct {
	read    *load.Package
	list    *krm.ResourceList
	results krm.Results
	summary string
	// text is printed in place of documents; nil if they are printed.
	text []byte
	// rendered are the items that the function has rendered.
	rendered map[*krm.Item]bool
	// sink has the rendered objects if the function has worked on parts; nil if they are in the list.
	sink sink
}

// objects returns the rendered objects that are meant to be applied.
func (r *run) objects(c *checked) []*krm.Item {
	return slices.DeleteFunc(r.forCluster(c.list.Items()), func(item *krm.Item) bool { return !c.rendered[item] })
}

// forCluster returns the items that are meant to be applied.
func (r *run) forCluster(items []*krm.Item) []*krm.Item {
	return slices.DeleteFunc(slices.Clone(items), func(item *krm.Item) bool { return !r.isForCluster(item) })
}

// readAndProcess reads the files and runs the function on them.
func (r *run) readAndProcess(with steps) (*checked, error) {
	line := r.progress()
	defer line.erase()
	then, err := r.openBase()
	if err != nil {
		return nil, err
	}
	defer then.close()
	parts := r.parts(with)
	then.start(with.base)
	read, err := r.read(line, then, with, parts)
	if errors.Is(err, load.ErrReused) {
		return nil, incremental.ErrStale
	}
	if err != nil {
		return nil, err
	}
	if err := with.now.Read(read); err != nil {
		return nil, err
	}
	line.process(len(read.Documents) + len(read.Postponed))
	if c, err := r.processParts(read, parts, with); c != nil || err != nil {
		return c, err
	}
	if with.cache.IsReused() {
		return nil, incremental.ErrStale
	}
	allowGarbage()
	return r.processAll(read, then, with)
}

// processAll runs the function on all documents at once.
func (r *run) processAll(read *load.Package, then *older, with steps) (*checked, error) {
	all, err := read.All()
	if err == nil && all != read {
		err = with.now.Read(all)
	}
	if err != nil {
		return nil, err
	}
	read = all
	if with.read != nil {
		if err := with.read(read); err != nil {
			return nil, err
		}
	}
	call := r.newCall(read, with.writesLock)
	call.Reused = with.now.Reused()
	if call.Base, err = then.read(read, with.base); err != nil {
		return nil, err
	}
	found := read.Results()
	call.found = &found
	c := &checked{read: read, list: call.List, rendered: call.rendered}
	switch {
	case with.process != nil:
		c.summary, err = with.process(call)
	case r.hasNothing(c, call.Base):
		call.List.Report(r.nothing())
	default:
		c.summary, err = r.config.Process(call)
	}
	if err != nil {
		return nil, err
	}
	r.complete(c, call, found)
	if len(*call.wrong) > 0 {
		return nil, misconfigured{*call.wrong, c.results}
	}
	c.results = r.suppress(c.list, c.results)
	c.summary = r.withSkipped(c)
	return c, nil
}

// complete adds the findings from reading the files to the function's results, and the project file and the variables
// without a value to its summary.
func (r *run) complete(c *checked, call Call, found krm.Results) {
	c.text = *call.text
	if name := r.project.Name(); name != "" && c.summary != "" {
		c.summary += " with " + name
	}
	if names := unset(c.read); len(names) > 0 && c.summary != "" {
		c.summary += ", without a value for " + strings.Join(names, ", ")
	}
	c.results = slices.DeleteFunc(call.List.Results(), newUnfilled(c.read).isAbout)
	c.results = append(c.results, found...)
	c.results = slices.DeleteFunc(c.results, r.isOfCatalog)
	if call.Base != nil {
		c.results = append(c.results, call.Base.unread...)
	}
	c.results = c.results.Sort()
}

// newCall returns a call of the function with the documents that were read.
func (r *run) newCall(read *load.Package, writeLock bool) Call {
	call := Call{List: read.List(), ConfigName: r.Name, FileMode: true, RefuseEmpty: !r.AllowEmpty,
		native: map[*krm.Item]bool{}, packages: map[*krm.Item]string{}, rendered: map[*krm.Item]bool{},
		wrong: &flagErrors{}, WriteLock: writeLock,
		Partial: read.Findings.Failed(), text: new([]byte), suppressed: &r.suppressed, places: r.places}
	for _, d := range read.Documents {
		call.native[d.Item], call.packages[d.Item] = d.Native, d.Package
	}
	return call
}

// read reads the files.
func (r *run) read(line *progress, then *older, with steps, parts PartsProcessor) (*load.Package, error) {
	defer with.now.Leave()
	exclude, err := r.exclusions(func(folder string) (string, error) { return folder, nil })
	if err != nil {
		return nil, err
	}
	exclude = append(exclude, with.exclude...)
	image := ""
	if reader, ok := r.config.(PackageReader); ok {
		image = reader.PackageImage()
	}
	options := load.Options{
		Values: r.Set, KeepUnset: r.isLinter(), EmbedOutside: r.AllowEmbedOutside,
		Kustomize: r.Kustomize, Input: r.stdin, Progress: line.read,
		Exclude: exclude, Tracked: then.tracks(), Image: image, Formats: extension.Formats(r.Extensions),
	}
	if parts != nil {
		options.Postpone = newPostponer(parts, with.index())
	}
	if reuser, ok := parts.(load.Reuser); ok && with.cache != nil {
		options.Reuse = reuser
	}
	if with.now != nil {
		options.Reuse = with.now
	}
	read, err := load.Read(slices.Concat(r.paths, r.catalogs), options)
	var unbuilt *load.KustomizeError
	if errors.As(err, &unbuilt) && unbuilt.Refused {
		err = fmt.Errorf("%w: use kustomize build %s | %s -", err, unbuilt.Folder, r.Command)
	}
	if err != nil {
		return nil, err
	}
	return read, nil
}

// report returns the report of the run, for all formats.
func (r *run) report(c *checked, withContext bool) *report.Report {
	all := &report.Report{
		Name: r.Name, Version: BuildVersion(), Rules: r.Rules, List: c.list, Results: c.results, Summary: c.summary,
		Suppressed: r.suppressed,
		Files:      edit.NewFiles(c.read.Text),
		Style:      report.StyleFor(IsTerminal(r.stdout.Writer), withContext, os.Getenv), Revision: r.BaseRef,
	}
	if folder, err := os.Getwd(); err == nil {
		all.Folder, all.Root = folder, load.TopLevel(folder)
	}
	return all
}

// isForCluster reports whether a document is meant to be applied: it is not local-config, and does not configure a tool.
func (r *run) isForCluster(item *krm.Item) bool {
	if local, _ := item.Annotation(contract.LocalConfigKey); local == "true" {
		return false
	}
	group, _, _ := strings.Cut(item.APIVersion(), "/")
	switch group {
	case "kustomize.config.k8s.io", "kpt.dev":
		return false
	case contract.Group:
		return r.isDocument(item.Kind())
	}
	return true
}

// isDocument reports whether a kind of our group is one of documents; the others configure functions.
func (r *run) isDocument(kind string) bool {
	switch kind {
	case contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup, contract.Catalog, contract.PluginLock,
		contract.PluginTest, contract.OutputSecret:
		return true
	}
	return slices.ContainsFunc(r.Extensions, func(e extension.Extension) bool { return slices.Contains(e.Rules.Kinds, kind) })
}
