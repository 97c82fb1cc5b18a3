package krm

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/internal/scan"
)

// ResourceList is what an orchestrator sends and expects back. Use Parse or NewList to make one.
type ResourceList struct {
	src     []byte
	version string
	kind    string
	config  *yaml.Node
	items   []*Item
	read    []*Item // the items as they came in
	results Results

	layout *scan.Layout // of what the scanner understood
	root   *yaml.Node   // of all else that was read
	isJSON bool
}

// NewList returns a list of the given items.
func NewList(items ...*Item) *ResourceList {
	list := &ResourceList{}
	list.Append(items...)
	return list
}

// FunctionConfig returns the tree of the functionConfig, nil if it is absent, null or empty.
func (l *ResourceList) FunctionConfig() *yaml.Node { return l.config }

// Items returns the items in order. The slice must not be changed: use Append, Replace and Remove.
func (l *ResourceList) Items() []*Item { return l.items }

// Size returns how many bytes the list came in with, or about as many as its items have if these were read from elsewhere.
func (l *ResourceList) Size() int {
	if l.src != nil {
		return len(l.src)
	}
	size := 0
	for _, item := range l.items {
		if item.raw != nil {
			size += len(item.raw)
		} else {
			size += sizeOf(item.YNode())
		}
	}
	return size
}

// Of returns the items that are of one of the kinds of apiVersion.
func (l *ResourceList) Of(apiVersion string, kinds ...string) []*Item {
	var items []*Item
	for _, item := range l.items {
		if slices.Contains(kinds, item.Kind()) && item.APIVersion() == apiVersion {
			items = append(items, item)
		}
	}
	return items
}

// Select returns the same items as Of, with their trees parsed, on all cores. A selected item that is not valid YAML is an
// error. To hold few of very many trees at a time, use Of, and Item.Parse and Item.Release for each.
func (l *ResourceList) Select(apiVersion string, kinds ...string) ([]*Item, error) {
	selected := l.Of(apiVersion, kinds...)
	return selected, parseAll(selected)
}

// parseAll parses items on all cores.
func parseAll(items []*Item) error {
	return onAllCores(len(items), func(i int) error { return items[i].Parse() })
}

// onAllCores calls work for 0 to n-1 in any order, and returns the error of the first that has one.
func onAllCores(n int, work func(i int) error) error {
	errs := make([]error, n)
	Each(n, func(i int) { errs[i] = work(i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Append adds items at the end.
func (l *ResourceList) Append(items ...*Item) {
	for _, item := range items {
		item.order = len(l.items)
		l.items = append(l.items, item)
	}
}

// Remove takes the items out of the list.
func (l *ResourceList) Remove(items ...*Item) {
	gone := make(map[*Item]bool, len(items))
	for _, item := range items {
		gone[item] = true
	}
	kept := l.items[:0:0]
	for _, item := range l.items {
		if !gone[item] {
			kept = append(kept, item)
		}
	}
	l.items = kept
}

// Replace puts an item that is not in the list in the place of one that is. If both print the same, the list's bytes
// stay as they are.
func (l *ResourceList) Replace(old, item *Item) {
	at := old.order
	if at >= len(l.items) || l.items[at] != old {
		at = slices.Index(l.items, old)
	}
	if at >= 0 {
		item.order, item.replaced = old.order, old
		l.items[at] = item
	}
}

// Report adds results.
func (l *ResourceList) Report(results ...Result) { l.results = append(l.results, results...) }

// SetResults replaces what was reported.
func (l *ResourceList) SetResults(results Results) { l.results = results }

// Results returns what was reported, sorted. Of an object that has very many findings it has the first ones, and how many
// others there are.
func (l *ResourceList) Results() Results {
	l.results = l.results.Sort().limited()
	return l.results
}
