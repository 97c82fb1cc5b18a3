// Package krm is the wire of a KRM function: it reads a ResourceList, hands out its items lazily, and writes it back
// with every byte that nobody edited unchanged.
//
// A list in block style is not parsed. A scanner that knows the plain shapes of YAML, and gives up on every other, finds
// where the items are; an item is parsed when somebody asks for its tree. JSON is cut by its own scanner. Whatever they
// are not sure of goes to the parser as a whole: never a wrong answer, only a slower one.
//
// Edits are queued, and cut into the bytes when the list is written. Where the cut is not a plain one, what comes out
// is parsed again and compared with what was meant; if they differ, the item is printed anew from its tree.
package krm

import (
	"bytes"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/cores"
)

// MostItems is how many items a list may have.
const MostItems = 1 << 20

var errExcess = fmt.Errorf("`items` must have at most %d items", MostItems)

// ResourceList is what an orchestrator sends and expects back.
type ResourceList struct {
	src     []byte
	version string
	kind    string
	config  *yaml.Node
	items   []*Item
	read    []*Item // the items as they came in
	results Results
	excess  bool // there are more items than MostItems

	layout *layout    // of block YAML
	json   *jsonList  // of JSON
	root   *yaml.Node // of what only the parser understood; its layout may be known too
}

// Parse reads one ResourceList, YAML or JSON, of version v1, v1beta1 or v1alpha1. The list keeps src, which must not be
// changed as long as the list is in use.
//
// An error is one line that says what is wrong and where: the input is not YAML, holds a second document, is not a
// ResourceList, is larger than FallbackLimit and not plain enough to be scanned; `items` is not a list; an item is not
// an object or lacks one of apiVersion, kind and metadata.name. A missing or null `items` is an empty list.
func Parse(src []byte) (*ResourceList, error) {
	list := &ResourceList{src: src}
	if err := list.load(); err != nil {
		return nil, err
	}
	if err := list.checkHead(); err != nil {
		return nil, err
	}
	if err := list.readConfig(); err != nil {
		return nil, err
	}
	if err := list.checkItems(); err != nil {
		return nil, err
	}
	list.read = slices.Clone(list.items)
	for n, item := range list.read {
		item.slot = n + 1
	}
	return list, nil
}

func (l *ResourceList) load() error {
	if l.scan() {
		return nil
	}
	if l.excess {
		return errExcess
	}
	l.layout, l.items = nil, nil
	if startsObject(l.src) {
		if done, err := l.scanJSON(); done || err != nil {
			return err
		}
	}
	return l.parse()
}

// startsObject tells whether a text looks like JSON.
func startsObject(src []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(src, []byte(byteOrderMark)), " \t\r\n"), []byte("{"))
}

// NewList returns a list of the given items, as file mode builds it.
func NewList(items ...*Item) *ResourceList {
	list := &ResourceList{}
	list.Append(items...)
	return list
}

// FunctionConfig returns the tree of the functionConfig, nil where it is absent, null or empty.
func (l *ResourceList) FunctionConfig() *yaml.Node { return l.config }

// Items returns the items in order. The slice must not be changed: use Append, Replace and Remove.
func (l *ResourceList) Items() []*Item { return l.items }

// Select returns the items of one of the kinds of apiVersion, with their trees parsed; the work is spread over the
// cores. A chosen item that is not valid YAML is an error.
func (l *ResourceList) Select(apiVersion string, kinds ...string) ([]*Item, error) {
	var chosen []*Item
	for _, item := range l.items {
		for _, kind := range kinds {
			if item.Kind() == kind && item.APIVersion() == apiVersion {
				chosen = append(chosen, item)
				break
			}
		}
	}
	cores.Each(len(chosen), func(i int) { chosen[i].Node() })
	for _, item := range chosen {
		if item.broken != nil {
			return nil, item.broken
		}
	}
	return chosen, nil
}

// Append adds items at the end.
func (l *ResourceList) Append(items ...*Item) {
	for _, item := range items {
		l.add(item)
	}
}

func (l *ResourceList) add(item *Item) {
	item.order = len(l.items)
	l.items = append(l.items, item)
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

// Replace puts an item that is not in the list in the place of one that is. Where both print the same, the list's bytes
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

// Results returns what was reported, sorted.
func (l *ResourceList) Results() Results {
	l.results = l.results.Sort()
	return l.results
}
