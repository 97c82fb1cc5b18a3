package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// heapGrowth is how much the heap may grow, in per cent, before it is collected: a run is short and mostly makes trees.
const heapGrowth = 400

// files is file mode.
func (r *run) files(ctx context.Context) int {
	debug.SetGCPercent(heapGrowth)
	lock, err := r.openLock(ctx)
	if err != nil {
		return r.fail(err)
	}
	if lock != nil {
		defer lock.Close()
	}
	c, err := r.readAndProcess()
	if err != nil {
		return r.fail(err)
	}
	if len(c.wrong) > 0 {
		r.fail(c.wrong)
		r.end(c.results, r.Output != Findings, "")
		return exitCall
	}
	switch {
	case r.Write:
		return r.endWithPins(ctx, c, lock)
	case lock != nil:
		return r.endWithLock(c, lock)
	case r.folder() != "":
		return r.endWithFolder(ctx, c)
	}
	fixed := &fixes{}
	if r.Fix {
		if c, err = r.fix(ctx, c, fixed); err != nil {
			_, _ = fixed.lines.WriteTo(r.stderr)
			return r.fail(err)
		}
	}
	out, err := r.outcome(c)
	if err != nil {
		return r.fail(err)
	}
	if _, err := out.WriteTo(r.stdout); err != nil {
		return r.fail(err)
	}
	_, _ = fixed.lines.WriteTo(r.stderr)
	if r.printsNothing(c) {
		c.summary = "nothing printed: fix the errors above"
	}
	r.listSkipped(c)
	code := r.end(c.results, r.Output != Findings, c.summary)
	if fixed.count > 0 {
		return exitFindings
	}
	return code
}

// checked is what came of reading the files and processing them.
type checked struct {
	read    *load.Package
	list    *krm.ResourceList
	results krm.Results
	summary string
	drawing []byte
	// wrong are the flags whose value the function refuses.
	wrong flagErrors
	// text is printed in place of documents; nil if they are printed.
	text []byte
	// lock is the lock to write; nil if there is none.
	lock *lockFile
	// references are the documents that --write may pin; nil without it.
	references []*pinned
	// rendered are the items that the function has rendered.
	rendered map[*krm.Item]bool
}

// readAndProcess reads the files and runs the function on them.
func (r *run) readAndProcess() (*checked, error) {
	line := r.progress()
	defer line.erase()
	then, err := r.openBase()
	if err != nil {
		return nil, err
	}
	defer then.close()
	read, err := r.read(line, then)
	if err != nil {
		return nil, err
	}
	line.process(len(read.Documents))
	lock, err := r.readLock(read)
	if err != nil {
		return nil, err
	}
	call := r.newCall(read, lock != nil)
	if call.Base, err = then.read(read); err != nil {
		return nil, err
	}
	found := read.Results()
	call.found = &found
	c := &checked{read: read, list: call.List, rendered: call.rendered, lock: lock}
	if r.Write {
		c.references = r.referencesOf(read)
	}
	if r.hasNothing(c, call.Base) {
		call.List.Report(r.nothing())
	} else if err := r.work(call, c); err != nil {
		return nil, err
	}
	c.text = *call.text
	if name := r.project.Name(); name != "" && c.summary != "" {
		c.summary += " with " + name
	}
	if names := unset(read); len(names) > 0 && c.summary != "" {
		c.summary += ", without a value for " + strings.Join(names, ", ")
	}
	c.wrong = *call.wrong
	c.results = slices.DeleteFunc(call.List.Results(), newUnfilled(read).isAbout)
	c.results = append(c.results, found...)
	c.results = slices.DeleteFunc(c.results, r.isOfCatalog)
	if call.Base != nil {
		c.results = append(c.results, call.Base.unread...)
	}
	if c.results = c.results.Sort(); len(c.wrong) == 0 {
		c.results = r.suppress(c.list, c.results)
	}
	c.summary = r.withSkipped(c)
	return c, nil
}

// newCall returns a call of the function with the documents that were read.
func (r *run) newCall(read *load.Package, writeLock bool) Call {
	call := Call{List: krm.NewList(), ConfigName: r.Name, FileMode: true, native: map[*krm.Item]bool{},
		packages: map[*krm.Item]string{}, rendered: map[*krm.Item]bool{}, wrong: &flagErrors{}, WriteLock: writeLock,
		Partial: read.Findings.Failed(), text: new([]byte), suppressed: &r.suppressed}
	for _, d := range read.Documents {
		call.List.Append(d.Item)
		call.native[d.Item], call.packages[d.Item] = d.Native, d.Package
	}
	return call
}

// read reads the files.
func (r *run) read(line *progress, then *older) (*load.Package, error) {
	exclude, err := r.exclusions(func(folder string) (string, error) { return folder, nil })
	if err != nil {
		return nil, err
	}
	exclude = append(exclude, r.withoutFolder()...)
	image := ""
	if r.Image != nil {
		image = r.Image(r.config)
	}
	read, err := load.Read(slices.Concat(r.paths, r.catalogs), load.Options{
		Values: r.Set, KeepUnset: r.Output == Findings, EmbedOutside: r.AllowEmbedOutside,
		Kustomize: r.Kustomize, Input: r.stdin, Progress: line.read,
		Exclude: exclude, Tracked: then.tracks(), Image: image, Formats: extension.Formats(r.Extensions),
	})
	var unbuilt *load.KustomizeError
	if errors.As(err, &unbuilt) && unbuilt.Refused {
		err = fmt.Errorf("%w: use kustomize build %s | %s -", err, unbuilt.Folder, r.Command)
	}
	if err != nil {
		return nil, err
	}
	r.dropUndrawn(read)
	return read, nil
}

// outcome is what file mode prints: findings, or if there is no error, the documents or their drawing.
func (r *run) outcome(c *checked) (*bytes.Buffer, error) {
	var out bytes.Buffer
	switch {
	case r.Output == Findings:
		return &out, r.report(c).Write(&out, r.Format)
	case r.Page != nil:
		text, err := r.Page(r.config, r.ran(c))
		return bytes.NewBuffer(text), err
	case c.results.Failed():
		return &out, nil
	case r.Graph != "":
		return bytes.NewBuffer(c.drawing), nil
	case c.text != nil:
		return bytes.NewBuffer(c.text), nil
	}
	for _, item := range r.printed(c) {
		text, err := item.Bytes()
		if err != nil {
			return nil, err
		}
		if out.Len() > 0 {
			out.WriteString("---\n")
		}
		out.Write(text)
	}
	return &out, nil
}

// printsNothing reports whether errors keep documents from being printed.
func (r *run) printsNothing(c *checked) bool {
	return r.Output != Findings && r.Page == nil && c.results.Failed()
}

// ran describes the run for a page.
func (r *run) ran(c *checked) Run {
	of := Run{Report: r.report(c), Paths: slices.Concat(r.paths, r.Kustomize)}
	if !c.results.Failed() {
		of.Documents = r.printed(c)
	}
	return of
}

// printed returns the documents that are printed.
func (r *run) printed(c *checked) (items []*krm.Item) {
	for _, item := range c.list.Items() {
		if r.KeepInputs || r.isResult(c, item) {
			items = append(items, item)
		}
	}
	return items
}

func (r *run) report(c *checked) *report.Report {
	all := &report.Report{
		Name: r.Name, Version: BuildVersion(), Rules: r.Rules, List: c.list, Results: c.results, Summary: c.summary,
		Suppressed: r.suppressed,
		Files:      edit.NewFiles(c.read.Text),
		Style:      report.StyleFor(IsTerminal(r.stdout.Writer), r.Context, os.Getenv), Revision: r.BaseRef,
	}
	if folder, err := os.Getwd(); err == nil {
		all.Folder, all.Root = folder, load.TopLevel(folder)
	}
	return all
}

// isResult reports whether a document is printed without --keep-inputs.
func (r *run) isResult(c *checked, item *krm.Item) bool {
	if r.Output == Objects {
		return c.rendered[item] && r.isForCluster(item)
	}
	return c.rendered[item] || r.isForCluster(item)
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
		contract.PluginTest:
		return true
	}
	return slices.ContainsFunc(r.Extensions, func(e extension.Extension) bool { return slices.Contains(e.Rules.Kinds, kind) })
}
