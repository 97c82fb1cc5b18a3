// Package importplugin is the KRM function import-plugin: it turns native files and packages into KRM documents. Its main
// runs New.
package importplugin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// New returns the KRM function import-plugin.
func New(extensions ...extension.Extension) cli.Function {
	return cli.Function{
		Name:    "import-plugin",
		Purpose: "turns native plugin and sandbox files (name, spec) and Crossplane packages into KRM documents.",
		Kind:    "ImportPlugin",
		Example: "import-plugin --set cluster=staging plugins/ > plugins.yaml\n" +
			"import-plugin redis.xpkg --image registry.example.org/acme/redis:v0.1.0 > redis.yaml",
		Extensions: extensions,
		Config: func() cli.Config {
			return &importPlugin{v1alpha1.ImportPlugin{Path: "."}, extensions}
		},
	}
}

// importPlugin selects the documents to import. In file mode, the command line selects them instead.
type importPlugin struct {
	v1alpha1.ImportPlugin
	extensions []extension.Extension
}

// PackageImage implements cli.PackageReader.
func (c *importPlugin) PackageImage() string { return c.Image }

const nothingToImport = "must hold native documents (name, spec) or packages: found neither"

// Process adds the documents of the native files and of packages to the list. Documents that it added before, under the
// same config name, are replaced, or removed if their file is gone. With an error nothing is changed.
func (c *importPlugin) Process(call cli.Call) (string, error) {
	if wrong := document.CheckImage(c.Image); wrong != "" {
		call.ConfigError("image", wrong)
	}
	if call.FileMode {
		return "imported " + report.Count(c.keepImported(call), "document"), nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		if !load.IsVariable(name) {
			call.ConfigError(krm.Path("set").Key(name), load.VariableError(name).Error())
		}
	}
	read, err := load.Read([]string{c.Path}, load.Options{
		Values: c.Set, EmbedOutside: c.AllowEmbedOutside, Image: c.Image, Formats: extension.Formats(c.extensions),
	})
	if err != nil {
		call.ConfigError("path", err.Error())
		return "", nil
	}
	call.List.Report(read.Results()...)
	packages := packages{}
	for _, d := range read.Documents {
		packages.add(d.Package, d.Item)
	}
	c.complete(call, packages)
	imported := c.newImport(call)
	for _, d := range read.Documents {
		if d.Native || d.Package != "" {
			imported.add(d.Item)
		}
	}
	if len(imported.items) == 0 && !call.List.Results().Failed() {
		call.ConfigError("path", fmt.Sprintf("%q %s", c.Path, nothingToImport))
	}
	imported.apply()
	return "imported " + report.Count(len(imported.items), "document"), nil
}

// keepImported leaves only the documents in the list that were native or are part of a package. It returns how many.
func (c *importPlugin) keepImported(call cli.Call) int {
	var others []*krm.Item
	packages := packages{}
	for _, item := range call.List.Items() {
		if call.IsNative(item) || call.PackageOf(item) != "" {
			packages.add(call.PackageOf(item), item)
		} else {
			others = append(others, item)
		}
	}
	call.List.Remove(others...)
	c.complete(call, packages)
	importers := extension.NewImporters(c.extensions)
	for _, item := range call.List.Items() {
		if wrong := importers.Nameless(item); item.Name() == "" && wrong != "" {
			call.List.Report(krm.At(item, "metadata.name", krm.Error, wrong))
		}
		item.Annotate(contract.RenderedByKey, call.ConfigName)
	}
	call.SetRendered(call.List.Items()...)
	count := len(call.List.Items())
	if count == 0 && !call.Partial {
		call.List.Report(krm.NewResult(krm.Error, "the paths "+nothingToImport))
	}
	return count
}

// documentID identifies a document: two documents must not share it.
type documentID struct{ group, kind, namespace, name string }

func documentIDOf(item *krm.Item) documentID {
	group, _, _ := strings.Cut(item.APIVersion(), "/")
	return documentID{group, item.Kind(), item.Namespace(), item.Name()}
}

// pluginImport adds imported documents to a list.
type pluginImport struct {
	call      cli.Call
	importers extension.Importers
	present   map[documentID]*krm.Item // documents of the list
	items     []*krm.Item              // imported documents
	seen      map[documentID]*krm.Item
}

func (c *importPlugin) newImport(call cli.Call) *pluginImport {
	p := &pluginImport{
		call: call, importers: extension.NewImporters(c.extensions),
		present: map[documentID]*krm.Item{}, seen: map[documentID]*krm.Item{},
	}
	for _, item := range call.List.Items() {
		p.present[documentIDOf(item)] = item
	}
	return p
}

// owned reports whether a document of the list was imported under this config's name before. Other functions also
// annotate rendered objects with the names of their configs.
func (p *pluginImport) owned(item *krm.Item) bool {
	by, ok := item.Annotation(contract.RenderedByKey)
	return ok && by == p.call.ConfigName && (item.APIVersion() == contract.APIVersion || p.importers.IsPart(item))
}

// add takes a document that was read, and reports why it must not be in the list.
func (p *pluginImport) add(item *krm.Item) {
	id := documentIDOf(item)
	p.items = append(p.items, item)
	message := ""
	switch other, present := p.seen[id], p.present[id]; {
	case id.name == "":
		message = cmp.Or(p.importers.Nameless(item), "must be set: an imported document must have a name")
	case other != nil:
		message = fmt.Sprintf("%q must be the name of one %s only: %s has it too", id.name, id.kind,
			shownPlace(other.PlaceOf("metadata.name")))
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
		if p.owned(old) && p.seen[documentIDOf(old)] == nil {
			list.Report(krm.At(old, "", krm.Info, "removed: the file that it was imported from is gone"))
			list.Remove(old)
		}
	}
	for _, item := range p.items {
		if old := p.present[documentIDOf(item)]; old != nil {
			p.keepAnnotations(item, old)
			list.Replace(old, item)
			continue
		}
		list.Append(item)
	}
}

// shownPlace is a place as a message names it.
func shownPlace(place krm.Place) string {
	if place.Line == 0 {
		return place.File
	}
	return fmt.Sprintf("%s:%d", place.File, place.Line)
}

// keepAnnotations keeps the annotations that others set on a document since it was imported: the path of its file,
// local-config, the state of a sandbox. Annotations that come with a package are the new ones.
func (p *pluginImport) keepAnnotations(item, old *krm.Item) {
	annotations := krm.Value(krm.Value(old.YNode(), "metadata"), "annotations")
	if annotations == nil {
		return
	}
	for i := 0; i+1 < len(annotations.Content); i += 2 {
		key := annotations.Content[i].Value
		if _, isSet := item.Annotation(key); isSet || key == contract.RenderedByKey || p.importers.Owns(key) {
			continue
		}
		item.Annotate(key, annotations.Content[i+1].Value)
	}
}

// packages are the documents of packages that are imported, by the paths of the packages.
type packages map[string][]*krm.Item

func (p packages) add(path string, item *krm.Item) {
	if path != "" {
		p[path] = append(p[path], item)
	}
}

// complete checks the documents of packages, and marks them.
func (c *importPlugin) complete(call cli.Call, all packages) {
	if c.Image != "" && len(all) != 1 {
		call.ConfigError("image", fmt.Sprintf("must be that of one package, and there are %d: import one at a time", len(all)))
		return
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		call.List.Report(extension.NewImporters(c.extensions).Complete(path, all[path], c.Image)...)
	}
}
