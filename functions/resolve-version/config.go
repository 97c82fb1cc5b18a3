package main

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/catalog"
	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm/process"
)

// config is what a user can choose.
type config struct {
	Explain bool `json:"explain" help:"report what each reference resolved to, and how"`
}

// Process pins every plugin reference of the list's sandboxes. The list's plugin documents are the catalog.
func (c *config) Process(call process.Call) (string, error) {
	sandboxes, err := call.List.Select(contract.APIVersion, contract.Sandbox)
	if err != nil {
		return "", err
	}
	plugins := catalog.New(call.List.Items())
	call.List.Report(plugins.Problems()...)
	r := &resolver{
		list: call.List, plugins: plugins, explain: c.Explain,
		chosen: map[string]bool{}, changed: map[change][]string{},
	}
	for _, item := range sandboxes {
		r.sandbox(item)
	}
	r.reportChanged()
	return fmt.Sprintf("resolved %s of %s to %s", count(r.resolved, "reference", "references"),
		count(len(sandboxes), "sandbox", "sandboxes"), count(len(r.chosen), "plugin version", "plugin versions")), nil
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
