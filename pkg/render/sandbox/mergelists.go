package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// maxMerged is the highest number of elements of a list that a strategic patch merges, in the workload and in the
// patch: strategicpatch compares all pairs, several times.
const maxMerged = 1000

// checkMergedLists reports a list that is too long to be merged, in a strategic patch or in the workload.
func checkMergedLists(workload, patch object, schema strategicpatch.LookupPatchMeta) error {
	present, asked := mergedLists{}, mergedLists{}
	present.add(workload, schema, "")
	asked.add(patch, schema, "")
	for _, path := range slices.Sorted(maps.Keys(asked)) {
		if longest := max(asked[path], present[path]); longest > maxMerged {
			return fmt.Errorf("must merge lists of at most %d elements, not %d (%s): use a patch of type json",
				maxMerged, longest, path)
		}
	}
	return nil
}

// mergedLists has the greatest length of each merged list, by path without indexes.
type mergedLists map[string]int

func (m mergedLists) add(value object, schema strategicpatch.LookupPatchMeta, at string) {
	for key, value := range value {
		switch value := value.(type) {
		case object:
			if below, _, err := schema.LookupPatchMetadataForStruct(key); err == nil {
				m.add(value, below, at+key+".")
			}
		case []any:
			_, name, isDirective := strings.Cut(key, "/")
			if !isDirective || !strings.HasPrefix(key, "$") {
				name, isDirective = key, false
			}
			below, meta, err := schema.LookupPatchMetadataForSlice(name)
			if err != nil {
				continue
			}
			if isDirective || slices.Contains(meta.GetPatchStrategies(), "merge") {
				m[at+name] = max(m[at+name], len(value))
			}
			for _, element := range value {
				if mapping, ok := element.(object); ok {
					m.add(mapping, below, at+name+"[].")
				}
			}
		}
	}
}
