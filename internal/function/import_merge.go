package function

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// identity is what two documents must not share.
type identity struct{ kind, name string }

func identityOf(item *krm.Item) identity { return identity{item.Kind(), item.Name()} }

// merge brings imported documents into a list.
type merge struct {
	call     cli.Call
	present  map[identity]*krm.Item // our documents of the list
	imported []*krm.Item
	seen     map[identity]*krm.Item
}

func newMerge(call cli.Call) *merge {
	m := &merge{call: call, present: map[identity]*krm.Item{}, seen: map[identity]*krm.Item{}}
	for _, item := range call.List.Items() {
		if item.APIVersion() == contract.APIVersion {
			m.present[identityOf(item)] = item
		}
	}
	return m
}

// owned tells whether a document of the list was imported under this config's name before.
func (m *merge) owned(item *krm.Item) bool {
	by, ok := item.Annotation(contract.RenderedByKey)
	return ok && by == m.call.ConfigName
}

// add takes a document that was read, and reports where it cannot be in the list.
func (m *merge) add(item *krm.Item) {
	id := identityOf(item)
	m.imported = append(m.imported, item)
	switch other := m.seen[id]; {
	case id.name == "":
		m.report(item, "must be set: an imported document must have a name")
	case other != nil:
		place := other.PlaceOf("metadata.name")
		m.report(item, fmt.Sprintf("%q must be the name of one %s only: %s:%d has it too",
			id.name, id.kind, place.File, place.Line))
	case m.present[id] != nil && !m.owned(m.present[id]):
		m.report(item, fmt.Sprintf("%s %q is in the list already and was not imported by %q: one of them must go",
			id.kind, id.name, m.call.ConfigName))
	}
	m.seen[id] = item
	item.Annotate(contract.RenderedByKey, m.call.ConfigName)
}

func (m *merge) report(item *krm.Item, message string) {
	m.call.List.Report(krm.At(item, "metadata.name", krm.Error, message))
}

// apply changes the list, unless something is wrong.
func (m *merge) apply() {
	list := m.call.List
	if list.Results().Failed() {
		return
	}
	for _, old := range list.Items() {
		if old.APIVersion() != contract.APIVersion || !m.owned(old) || m.seen[identityOf(old)] != nil {
			continue
		}
		list.Report(krm.At(old, "", krm.Info, "removed: the file that it was imported from is gone"))
		list.Remove(old)
	}
	for _, item := range m.imported {
		if old := m.present[identityOf(item)]; old != nil {
			inherit(item, old)
			list.Replace(old, item)
			continue
		}
		list.Append(item)
	}
}

// inherit keeps the annotations that others have put on a document since it was imported: where its file is, that it is
// local, what state a sandbox shall have.
func inherit(item, old *krm.Item) {
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
