package build

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// refuseLeaks returns an error for each sandbox whose create phase is in the folder, but which is not rendered any
// more: its delete phase was never rendered, so nothing deletes what its resources created.
func (f *Folder) refuseLeaks(files []*file, changes []change) (results krm.Results, err error) {
	gone, err := f.lost(files, changes)
	if f.AllowLeaks || len(gone) == 0 {
		return nil, err
	}
	type leak struct{ file, sandbox string }
	created, isDeleted := map[string]leak{}, map[string]bool{}
	for _, c := range changes {
		if !slices.ContainsFunc(c.lost, func(id string) bool { return gone[id] }) {
			continue
		}
		before, _, err := f.textsOf(&c)
		if err != nil {
			return nil, err
		}
		for _, text := range bytes.Split(before, []byte("\n---\n")) {
			item, err := krm.NewItem(text)
			if err != nil {
				continue // of a file that was edited
			}
			id, _ := item.Annotation(contract.SandboxIDKey)
			name, _ := item.Annotation(contract.SandboxKey)
			switch phase, _ := item.Annotation(contract.PhaseKey); {
			case !gone[id]:
			case phase == string(v1alpha1.PhaseCreate):
				created[id] = leak{c.name, name}
			case phase == string(v1alpha1.PhaseDelete):
				isDeleted[id] = true
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(created)) {
		if !isDeleted[id] {
			results = append(results, f.result(created[id].file, fmt.Sprintf("sandbox %q is not rendered any more, and nothing "+
				"deletes what its resources made: bring its document back with the annotation %s: absent, or give --allow-leaks",
				created[id].sandbox, contract.StateKey)))
		}
	}
	return results, nil
}

// lost returns the ids of sandboxes that the folder has and that are not rendered any more. Files are read for it only if a
// change loses one.
func (f *Folder) lost(files []*file, changes []change) (map[string]bool, error) {
	gone := map[string]bool{}
	for _, c := range changes {
		for _, id := range c.lost {
			gone[id] = true
		}
	}
	for _, one := range files {
		if len(gone) == 0 {
			break
		}
		text, err := f.content(one)
		if err != nil {
			return nil, err
		}
		for id := range sandboxIDsIn(text) {
			delete(gone, id)
		}
	}
	return gone, nil
}

// lostIn returns the ids of sandboxes that a text names, and another one does not name.
func lostIn(before, after []byte) (ids []string) {
	kept := map[string]bool{}
	for id := range sandboxIDsIn(after) {
		kept[id] = true
	}
	for id := range sandboxIDsIn(before) {
		if !kept[id] {
			kept[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// sandboxIDsIn iterates over the ids of sandboxes that a text of objects names.
func sandboxIDsIn(text []byte) iter.Seq[string] {
	return func(yield func(id string) bool) {
		for {
			_, rest, found := bytes.Cut(text, []byte(contract.SandboxIDKey+": "))
			id, _, _ := bytes.Cut(rest, []byte("\n"))
			if !found || !yield(string(bytes.Trim(id, ` "'`))) {
				return
			}
			text = rest
		}
	}
}
