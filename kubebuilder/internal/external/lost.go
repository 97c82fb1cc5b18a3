package external

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Lost returns the parts that a plugin may have lost of a file that it has rewritten, empty if nothing: the plugin must
// change the file of the universe, and not write it from nothing or from the fields that it knows.
func Lost(name string, before, after []byte) string {
	if KeepsNothing(before, after, 2) { // a version or a date may be all that a file has
		return fmt.Sprintf("none of the lines of %s is kept: the plugin may have written it from nothing", name)
	}
	if dropped := droppedFields(name, before, after); len(dropped) > 0 {
		return fmt.Sprintf("fields of %s are dropped, which the plugin may not know: %s", name, strings.Join(dropped, ", "))
	}
	return ""
}

// KeepsNothing reports whether no line of a file is left that is not blank. A file with fewer lines than least keeps
// something.
func KeepsNothing(before, after []byte, least int) bool {
	kept := map[string]bool{}
	for line := range bytes.Lines(after) {
		kept[string(bytes.TrimSpace(line))] = true
	}
	lines := 0
	for line := range bytes.Lines(before) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if lines++; kept[string(line)] {
			return false
		}
	}
	return lines >= least
}

// droppedFields returns the top-level fields of a file of YAML or JSON that are gone, sorted.
func droppedFields(name string, before, after []byte) (dropped []string) {
	isDocument := slices.Contains([]string{".json", ".yaml", ".yml"}, path.Ext(name)) || name == "PROJECT"
	var had, has map[string]any
	if !isDocument || yaml.Unmarshal(before, &had) != nil || yaml.Unmarshal(after, &has) != nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(had)) {
		if _, isKept := has[key]; !isKept {
			dropped = append(dropped, key)
		}
	}
	return dropped
}
