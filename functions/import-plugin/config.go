package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/krm/process"
	"github.com/resource-plugins/krm-functions/pkg/native"
	"github.com/resource-plugins/krm-functions/pkg/template"
)

// config says what to import. In file mode the command line says it instead.
type config struct {
	Path              string            `json:"path" flag:"-" help:"file or folder to read, below where the function runs"`
	Set               map[string]string `json:"set" flag:"-" help:"values of variables, for @{KEY}"`
	AllowEmbedOutside bool              `json:"allowEmbedOutside" flag:"-" help:"let @{embed: FILE} leave its folder"`
}

// Process adds the documents of the native files to the list. Documents that it added before, under the same config
// name, are replaced, or removed where their file is gone. With an error nothing is changed.
func (c *config) Process(call process.Call) (string, error) {
	if call.FileMode {
		return keepNative(call), nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		if !template.IsVariable(name) {
			call.Misconfigured(krm.Path("set").Key(name), fmt.Sprintf(
				"variable %q must start with a letter and hold letters, digits, %q only", name, "_.-"))
		}
	}
	read, err := native.Read([]string{c.Path}, native.Options{Values: c.Set, EmbedOutside: c.AllowEmbedOutside})
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
	return summary(len(m.imported)), nil
}

// keepNative leaves the documents that were native in the list, as what the command prints.
func keepNative(call process.Call) string {
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
	return summary(count)
}

func summary(documents int) string {
	if documents == 1 {
		return "imported 1 document"
	}
	return fmt.Sprintf("imported %d documents", documents)
}
