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

// config says what to import. In file mode the command line says it instead.
type importConfig struct{ v1alpha1.ImportPlugin }

// Process adds the documents of the native files to the list. Documents that it added before, under the same config
// name, are replaced, or removed where their file is gone. With an error nothing is changed.
func (c *importConfig) Process(call cli.Call) (string, error) {
	if call.FileMode {
		return keepNative(call), nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		if !template.IsVariable(name) {
			call.Misconfigured(krm.Path("set").Key(name), fmt.Sprintf(
				"variable %q must start with a letter and hold letters, digits, %q only", name, "_.-"))
		}
	}
	read, err := load.Read([]string{c.Path}, load.Options{Values: c.Set, EmbedOutside: c.AllowEmbedOutside})
	if err != nil {
		call.Misconfigured("path", err.Error())
		return "", nil
	}
	call.List.Report(read.Results()...)
	m := newMerge(call)
	for _, d := range read.Documents {
		if d.Native {
			m.add(d.Item)
		}
	}
	if len(m.imported) == 0 {
		call.Misconfigured("path", fmt.Sprintf("%q must hold native documents (name, spec): there are none", c.Path))
	}
	m.apply()
	return importSummary(len(m.imported)), nil
}

// keepNative leaves the documents that were native in the list, as what the command prints.
func keepNative(call cli.Call) string {
	var others []*krm.Item
	for _, item := range call.List.Items() {
		if !call.IsNative(item) {
			others = append(others, item)
			continue
		}
		item.Annotate(contract.RenderedByKey, call.ConfigName)
	}
	call.List.Remove(others...)
	count := len(call.List.Items())
	if count == 0 {
		call.List.Report(krm.NewResult(krm.Error, "the paths must hold native documents (name, spec): there are none"))
	}
	return importSummary(count)
}

func importSummary(documents int) string {
	if documents == 1 {
		return "imported 1 document"
	}
	return fmt.Sprintf("imported %d documents", documents)
}
