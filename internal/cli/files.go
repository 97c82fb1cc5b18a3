package cli

import (
	"bytes"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// garbage is how much the heap may grow, in per cent, before it is collected: a run is short, and trees are what it makes.
const garbage = 400

// files is file mode.
func (r *run) files() int {
	debug.SetGCPercent(garbage)
	c, err := r.examine()
	if err != nil {
		return r.fail(err)
	}
	fixed := &fixing{}
	if r.Fix {
		if c, fixed, err = r.fix(c); err != nil {
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
	code := r.end(c.results, r.Prints == Documents, c.summary)
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
}

// examine reads the files and lets the function work on them.
func (r *run) examine() (*checked, error) {
	line := r.progress()
	defer line.erase()
	read, err := load.Read(r.paths, load.Options{
		Values: r.Set, EmbedOutside: r.AllowEmbedOutside, Input: r.stdin, Progress: line.read,
	})
	if err != nil {
		return nil, err
	}
	r.leaveOut(read)
	line.process(len(read.Documents))
	call := Call{List: krm.NewList(), ConfigName: r.Name, FileMode: true, native: map[*krm.Item]bool{}}
	for _, d := range read.Documents {
		call.List.Append(d.Item)
		call.native[d.Item] = d.Native
	}
	if call.Base, err = r.base(read); err != nil {
		return nil, err
	}
	c := &checked{read: read, list: call.List}
	if err := r.work(call, c); err != nil {
		return nil, err
	}
	unfilled := placesOf(read)
	for _, result := range call.List.Results() {
		if !unfilled[result.Place] {
			c.results = append(c.results, result)
		}
	}
	c.results = append(c.results, read.Results()...)
	if call.Base != nil {
		c.results = append(c.results, call.Base.unread...)
	}
	c.results = c.results.Sort()
	return c, nil
}

// report gathers what the findings are printed from.
func (r *run) report(c *checked) *report {
	all := &report{
		name: r.Name, version: BuildVersion(), list: c.list, results: c.results, summary: c.summary,
		texts: newTexts(c.read.Text), look: r.look(),
	}
	if r.Rules != nil {
		all.rules = r.Rules()
	}
	all.folder, _ = os.Getwd()
	return all
}

// outcome is what file mode prints: findings, or the documents or their drawing if there is no error.
func (r *run) outcome(c *checked) (*bytes.Buffer, error) {
	var out bytes.Buffer
	if r.Prints == Findings {
		return &out, formatOf(r.Output)(&out, r.report(c))
	}
	if c.results.Failed() {
		return &out, nil
	}
	if r.Graph != "" {
		return bytes.NewBuffer(c.drawing), nil
	}
	for _, item := range c.list.Items() {
		if !r.KeepInputs && !isForCluster(item) {
			continue
		}
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

// isForCluster tells whether a document is meant to be applied: not if it says that it is local, nor if it configures a
// tool.
func isForCluster(item *krm.Item) bool {
	if local, _ := item.Annotation(contract.LocalConfigKey); local == "true" {
		return false
	}
	group, _, _ := strings.Cut(item.APIVersion(), "/")
	switch group {
	case "kustomize.config.k8s.io", "kpt.dev":
		return false
	case contract.Group:
		return slices.Contains(documentKinds, item.Kind())
	}
	return true
}

// documentKinds are the kinds of our group that are documents; the others configure functions.
var documentKinds = []string{
	contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup, contract.Catalog, contract.PluginLock,
}

// placesOf returns where templates could not be filled in: what else is wrong with such a value is no news.
func placesOf(read *load.Package) map[krm.Place]bool {
	places := map[krm.Place]bool{}
	for _, d := range read.Documents {
		for _, node := range d.Failed {
			place := d.Item.PlaceOf("")
			place.Line, place.Column = node.Line, node.Column
			places[place] = true
		}
	}
	return places
}
