package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// withSkipped adds to the summary how many documents are for other tools.
func (r *run) withSkipped(c *checked) string {
	skipped := len(r.others(c))
	for _, s := range c.read.Skipped {
		if !s.Excluded {
			skipped++
		}
	}
	if c.summary == "" || skipped == 0 {
		return c.summary
	}
	return c.summary + "; skipped " + report.Count(skipped, "other document")
}

// others returns the objects of other groups, if the function only reports findings: any other function takes them as
// input.
func (r *run) others(c *checked) []*krm.Item {
	if !r.isLinter() {
		return nil
	}
	packages := map[*krm.Item]bool{}
	for _, d := range c.read.Documents {
		packages[d.Item] = d.Package != ""
	}
	return slices.DeleteFunc(slices.Clone(c.list.Items()), func(item *krm.Item) bool {
		group, _, _ := strings.Cut(item.APIVersion(), "/")
		return packages[item] || extension.Have(r.Extensions, item) ||
			group == contract.Group || document.LooksLike(item) != "" || item.Kind() == contract.FormerPlugin
	})
}

// listSkipped prints a line for each file and document that was skipped or excluded, if the user asks for more.
func (r *run) listSkipped(c *checked) {
	if !r.Verbose {
		return
	}
	all := slices.Clone(c.read.Skipped)
	for _, item := range r.others(c) {
		place := item.PlaceOf("")
		all = append(all, load.Skipped{File: place.File, Line: place.Line, Reason: item.Kind() + " of " + item.APIVersion()})
	}
	slices.SortStableFunc(all, load.Skipped.Compare)
	var lines bytes.Buffer
	for _, s := range all {
		fmt.Fprintln(&lines, report.Printable("skipped: "+s.String()))
	}
	_, _ = lines.WriteTo(r.stderr)
}

// hasNothing reports whether the paths have no document for us, now or in the older state. Stdin is the output of another
// program, which may be empty.
func (r *run) hasNothing(c *checked, base *Base) bool {
	if slices.Contains(r.paths, load.Stdin) || len(c.read.Findings) > 0 {
		return false
	}
	items := c.list.Items()
	if base != nil {
		items = slices.Concat(items, base.List.Items())
	}
	return !slices.ContainsFunc(items, func(item *krm.Item) bool { return r.Workloads || r.isOurs(item) })
}

// isOurs reports whether an item is a document of our group, or looks as if it should be, or is one of an extension.
func (r *run) isOurs(item *krm.Item) bool {
	return item.APIVersion() == contract.APIVersion && r.isDocument(item.Kind()) ||
		strings.HasPrefix(item.APIVersion(), contract.Group+"/") && item.APIVersion() != contract.APIVersion ||
		document.LooksLike(item) != "" || item.Kind() == contract.FormerPlugin || extension.Have(r.Extensions, item)
}

// nothing reports that the paths have no document for us.
func (r *run) nothing() krm.Result {
	paths := slices.Concat(r.paths, r.Kustomize)
	quoted := make([]string, len(paths))
	for i, path := range paths {
		quoted[i] = fmt.Sprintf("%q", path)
	}
	severity := krm.Error
	if r.AllowEmpty {
		severity = krm.Warning
	}
	result := krm.NewResult(severity, fmt.Sprintf("there is no plugin, sandbox, route group, package, catalog or lock in %s: "+
		"name a file or folder with one (--verbose lists what was skipped)", strings.Join(quoted, ", ")))
	result.Tags = map[string]string{krm.RuleTag: load.RuleFile}
	return result
}
