package process

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/native"
)

// files is file mode.
func (r *run) files() int {
	read, err := native.Read(r.paths, native.Options{
		Values: r.Set, EmbedOutside: r.AllowEmbedOutside, Input: r.stdin,
	})
	if err != nil {
		return r.fail(err)
	}
	list := krm.NewList()
	for _, d := range read.Documents {
		list.Append(d.Item)
	}
	summary, err := r.config.Process(Call{List: list, ConfigName: r.Name, FileMode: true})
	if err != nil {
		return r.fail(err)
	}
	unfilled := placesOf(read)
	var results krm.Results
	for _, result := range list.Results() {
		if !unfilled[result.Place] {
			results = append(results, result)
		}
	}
	results = append(results, readingResults(read)...).Sort()
	out, err := r.outcome(list, results, summary)
	if err != nil {
		return r.fail(err)
	}
	if _, err := out.WriteTo(r.stdout); err != nil {
		return r.fail(fmt.Errorf("stdout must be writable: %w", err))
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
		text, err := documentText(item)
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

func documentText(item *krm.Item) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(item.Node()); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
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

// readingResults are what was found wrong while the files were read.
func readingResults(read *native.Package) krm.Results {
	results := read.Findings
	for _, d := range read.Documents {
		for _, p := range d.Problems {
			result := krm.At(d.Item, p.Path, p.Severity, p.Message)
			result.Tags = map[string]string{"rule": p.Rule}
			if p.Line > 0 {
				result.Place.Line, result.Place.Column = p.Line, p.Column
			}
			results = append(results, result)
		}
	}
	return results
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
