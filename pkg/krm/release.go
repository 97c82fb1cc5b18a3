package krm

import (
	"bytes"
	"sync"

	"github.com/resource-plugins/krm-functions/pkg/krm/internal/scan"
)

// Release drops the object's tree, which takes many times the memory of its text; it is parsed again if somebody asks for
// it. A changed tree is printed before. Nodes that RNode and YNode have returned are no longer the item's. Items that came
// as a tree keep it, since their nodes have places in a file.
//
// Call it for each item as soon as it is read, if a list has very many. Other methods must not be called meanwhile.
func (i *Item) Release() {
	if i.raw == nil || i.source != nil || i.err != nil || i.tree == nil {
		return
	}
	if !i.isRaw() {
		text, err := i.print()
		if err != nil {
			return // writing the item will say so
		}
		i.raw, i.element, i.printed = bytes.Clone(text), false, true
		header, isPlain := scan.Object(i.raw)
		i.header, i.unsure = header, !isPlain
	}
	i.once, i.tree = sync.Once{}, nil
	i.parsed.Store(false)
}

// isRaw reports whether raw is the item.
func (i *Item) isRaw() bool { return !i.changed || i.printed }
