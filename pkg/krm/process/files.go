package process

import (
	"bytes"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/native"
)

// garbage is how much the heap may grow, in per cent, before it is collected: a run is short, and trees are what it makes.
const garbage = 400

// files is file mode.
func (r *run) files() int {
	debug.SetGCPercent(garbage)
	read, err := native.Read(r.paths, native.Options{
		Values: r.Set, EmbedOutside: r.AllowEmbedOutside, Input: r.stdin,
	})
	if err != nil {
		return r.fail(err)
	}
	call := Call{List: krm.NewList(), ConfigName: r.Name, FileMode: true, native: map[*krm.Item]bool{}}
	for _, d := range read.Documents {
		call.List.Append(d.Item)
		call.native[d.Item] = d.Native
	}
	if call.Base, err = r.base(read); err != nil {
		return r.fail(err)
	}
	summary, err := r.config.Process(call)
	if err != nil {
		return r.fail(err)
	}
	unfilled := placesOf(read)
	var results krm.Results
	for _, result := range call.List.Results() {
		if !unfilled[result.Place] {
			results = append(results, result)
		}
	}
	results = append(results, read.Results()...)
	if call.Base != nil {
		results = append(results, call.Base.unread...)
	}
	results = results.Sort()
	out, err := r.outcome(call.List, results, summary)
	if err != nil {
		return r.fail(err)
	}
	if _, err := out.WriteTo(r.stdout); err != nil {
		return r.fail(err)
	}
	return r.end(results, r.Prints == Documents, summary)
}

// outcome is what file mode prints: findings, or the documents if there is no error.
func (r *run) outcome(list *krm.ResourceList, results krm.Results, summary string) (*bytes.Buffer, error) {
	var out bytes.Buffer
	if r.Prints == Findings {
		return &out, formatOf(r.Output)(&out, results, summary)
	}
	if results.Failed() {
		return &out, nil
	}
	for _, item := range list.Items() {
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
func placesOf(read *native.Package) map[krm.Place]bool {
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
