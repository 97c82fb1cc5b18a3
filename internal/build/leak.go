package build

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// refuseLeaks returns an error for each sandbox whose create phase is in the folder, and of which nothing is rendered any
// more: its delete phase never was, so nothing deletes what its resources made.
func (f Folder) refuseLeaks(items []*krm.Item, changes []change) (results krm.Results) {
	if f.AllowLeaks {
		return nil
	}
	created, isSafe := map[string]*krm.Item{}, map[string]bool{}
	files := map[string]string{}
	for _, c := range changes {
		for _, text := range bytes.Split(c.before, []byte("\n---\n")) {
			item, err := krm.NewItem(text)
			if err != nil {
				continue // of a file that was edited
			}
			id, isOfSandbox := item.Annotation(contract.SandboxIDKey)
			if !isOfSandbox {
				continue // a script, which sandboxes share
			}
			switch phase, _ := item.Annotation(contract.PhaseKey); phase {
			case "create":
				created[id], files[id] = item, c.name
			case "delete":
				isSafe[id] = true
			}
		}
	}
	for _, item := range items {
		if id, ok := item.Annotation(contract.SandboxIDKey); ok {
			isSafe[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(created)) {
		if !isSafe[id] {
			name, _ := created[id].Annotation(contract.SandboxKey)
			results = append(results, f.result(files[id], fmt.Sprintf("sandbox %q is not rendered any more, and nothing deletes "+
				"what its resources made: bring its document back with rplug restore, or give --allow-leaks", name)))
		}
	}
	return results
}
