package function

import (
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/template"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// ImportPlugin is the KRM function import-plugin.
func ImportPlugin() cli.Function {
	return cli.Function{
		Name:    "import-plugin",
		Purpose: "turns native plugin and sandbox files (name, spec) into KRM documents.",
		Kind:    "ImportPlugin",
		Output:  cli.Documents,
		Example: "import-plugin --set cluster=staging plugins/ > plugins.yaml",
		Config:  func() cli.Config { return &importPlugin{v1alpha1.ImportPlugin{Path: "."}} },
	}
}

// importPlugin says what to import. In file mode the command line says it instead.
type importPlugin struct{ v1alpha1.ImportPlugin }

// Process adds the documents of the native files to the list. Documents that it added before, under the same config
// name, are replaced, or removed if their file is gone. With an error nothing is changed.
func (c *importPlugin) Process(call cli.Call) (string, error) {
	if call.FileMode {
		return "imported " + cli.Count(keepNative(call), "document"), nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		if !template.IsVariable(name) {
			call.ConfigError(krm.Path("set").Key(name), template.VariableError(name).Error())
		}
	}
	read, err := load.Read([]string{c.Path}, load.Options{Values: c.Set, EmbedOutside: c.AllowEmbedOutside})
	if err != nil {
		call.ConfigError("path", err.Error())
		return "", nil
	}
	call.List.Report(read.Results()...)
	imported := newImport(call)
	for _, d := range read.Documents {
		if d.Native {
			imported.add(d.Item)
		}
	}
	if len(imported.items) == 0 {
		call.ConfigError("path", fmt.Sprintf("%q must hold native documents (name, spec): there are none", c.Path))
	}
	imported.apply()
	return "imported " + cli.Count(len(imported.items), "document"), nil
}

// keepNative leaves only the documents in the list that were native. It returns how many.
func keepNative(call cli.Call) int {
	var others []*krm.Item
	for _, item := range call.List.Items() {
		if call.IsNative(item) {
			item.Annotate(contract.RenderedByKey, call.ConfigName)
		} else {
			others = append(others, item)
		}
	}
	call.List.Remove(others...)
	count := len(call.List.Items())
	if count == 0 {
		call.List.Report(krm.NewResult(krm.Error, "the paths must hold native documents (name, spec): there are none"))
	}
	return count
}

// documentID is what two documents must not share.
type documentID struct{ kind, name string }

func documentIDOf(item *krm.Item) documentID { return documentID{item.Kind(), item.Name()} }

// pluginImport adds imported documents to a list.
type pluginImport struct {
	call    cli.Call
	present map[documentID]*krm.Item // documents of our group in the list
	items   []*krm.Item              // what is imported
	seen    map[documentID]*krm.Item
}

func newImport(call cli.Call) *pluginImport {
	p := &pluginImport{call: call, present: map[documentID]*krm.Item{}, seen: map[documentID]*krm.Item{}}
	for _, item := range call.List.Items() {
		if item.APIVersion() == contract.APIVersion {
			p.present[documentIDOf(item)] = item
		}
	}
	return p
}

// owned reports whether a document of the list was imported under this config's name before.
func (p *pluginImport) owned(item *krm.Item) bool {
	by, ok := item.Annotation(contract.RenderedByKey)
	return ok && by == p.call.ConfigName
}

// add takes a document that was read, and reports why it must not be in the list.
func (p *pluginImport) add(item *krm.Item) {
	id := documentIDOf(item)
	p.items = append(p.items, item)
	message := ""
	switch other, present := p.seen[id], p.present[id]; {
	case id.name == "":
		message = "must be set: an imported document must have a name"
	case other != nil:
		place := other.PlaceOf("metadata.name")
		message = fmt.Sprintf("%q must be the name of one %s only: %s:%d has it too", id.name, id.kind, place.File, place.Line)
	case present != nil && !p.owned(present):
		message = fmt.Sprintf("%s %q is in the list already and was not imported by %q: one of them must go",
			id.kind, id.name, p.call.ConfigName)
	}
	if message != "" {
		p.call.List.Report(krm.At(item, "metadata.name", krm.Error, message))
	}
	p.seen[id] = item
	item.Annotate(contract.RenderedByKey, p.call.ConfigName)
}

// apply changes the list, unless there is an error.
func (p *pluginImport) apply() {
	list := p.call.List
	if list.Results().Failed() {
		return
	}
	for _, old := range list.Items() {
		if old.APIVersion() == contract.APIVersion && p.owned(old) && p.seen[documentIDOf(old)] == nil {
			list.Report(krm.At(old, "", krm.Info, "removed: the file that it was imported from is gone"))
			list.Remove(old)
		}
	}
	for _, item := range p.items {
		if old := p.present[documentIDOf(item)]; old != nil {
			keepAnnotations(item, old)
			list.Replace(old, item)
			continue
		}
		list.Append(item)
	}
}

// keepAnnotations keeps the annotations that others set on a document since it was imported: where its file is, that it
// is local-config, what state a sandbox has.
func keepAnnotations(item, old *krm.Item) {
	annotations := krm.Value(krm.Value(old.YNode(), "metadata"), "annotations")
	if annotations == nil {
		return
	}
	for i := 0; i+1 < len(annotations.Content); i += 2 {
		if key := annotations.Content[i].Value; key != contract.RenderedByKey {
			item.Annotate(key, annotations.Content[i+1].Value)
		}
	}
}
