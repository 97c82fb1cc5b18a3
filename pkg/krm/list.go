package krm

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/internal/scan"
)

// ResourceList is the input and output of a KRM function. Use Parse or NewList to create one.
type ResourceList struct {
	src     []byte
	version string
	kind    string
	config  *yaml.Node
	items   []*Item
	read    []*Item // the items that were read
	results Results

	layout *scan.Layout // if the scanner read the list
	root   *yaml.Node   // if the parser read it
	isJSON bool
}

// NewList returns a list of the given items.
func NewList(items ...*Item) *ResourceList {
	list := &ResourceList{}
	list.Append(items...)
	return list
}

// FunctionConfig returns the tree of the functionConfig, or nil if it is absent, null or empty.
func (l *ResourceList) FunctionConfig() *yaml.Node { return l.config }

// Items returns the items in order. The slice must not be changed: use Append, Replace and Remove.
func (l *ResourceList) Items() []*Item { return l.items }

// Size returns the length of the list as it was read, or an estimate for items that were read from elsewhere.
func (l *ResourceList) Size() int {
	if l.src != nil {
		return len(l.src)
	}
	size := 0
	for _, item := range l.items {
		size += item.Size()
	}
	return size
}

// Of returns the items of apiVersion with one of the kinds.
func (l *ResourceList) Of(apiVersion string, kinds ...string) []*Item {
	var items []*Item
	for _, item := range l.items {
		if slices.Contains(kinds, item.Kind()) && item.APIVersion() == apiVersion {
			items = append(items, item)
		}
	}
	return items
}

// Select returns the same items as Of, with their trees parsed on all cores. A selected item that is not valid YAML is
// an error. To hold only few of many trees at a time, use Of, and Item.Parse and Item.Release for each.
func (l *ResourceList) Select(apiVersion string, kinds ...string) ([]*Item, error) {
	selected := l.Of(apiVersion, kinds...)
	return selected, parseAll(selected)
}

// parseAll parses items on all cores.
func parseAll(items []*Item) error {
	return onAllCores(len(items), func(i int) error { return items[i].Parse() })
}

// onAllCores calls work for 0 to n-1 in any order, and returns the error with the lowest index.
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

// AppendAt adds an item that has the given place, from 0, in the longer list that this one is a part of: results about items
// of one file are sorted by it.
func (l *ResourceList) AppendAt(place int, item *Item) {
	item.order = place
	l.items = append(l.items, item)
}

// AppendShared adds items of another list, which keep their place in that one. Lists that share items may be used at the
// same time as long as none of them changes these.
func (l *ResourceList) AppendShared(items ...*Item) { l.items = append(l.items, items...) }

// Remove removes items from the list.
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

// Replace replaces an item of the list with one that is not in it. If both print the same, the list's bytes do not
// change.
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

// SetResults replaces the reported results.
func (l *ResourceList) SetResults(results Results) { l.results = results }

// Results returns the reported results, sorted. For an object with very many findings it returns the first ones, and
// the number of the others.
func (l *ResourceList) Results() Results {
	l.results = l.results.Sort().limited()
	return l.results
}
