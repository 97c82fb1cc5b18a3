package renderdiff

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fields returns the paths of the fields that differ between two values, decoded from JSON or to be encoded to it. If one
// of the sides is live, fields that only it has do not count.
func (c *compare) fields(before, after any) []string {
	f := fieldDiff{ignoreOld: c.before.live, ignoreNew: c.after.live}
	f.compare("", plain(before), plain(after))
	slices.Sort(f.paths)
	return slices.Compact(f.paths)
}

// plain returns a value as encoding/json decodes it. Without a value there are no empty lists and mappings.
func plain(value any) any {
	if fields, ok := value.(map[string]any); ok {
		return fields
	}
	text, err := json.Marshal(value)
	var decoded any
	if err == nil {
		err = json.Unmarshal(text, &decoded)
	}
	if err != nil {
		panic(err) // types of k8s.io/api
	}
	return decoded
}

// fieldDiff collects the paths of fields that differ.
type fieldDiff struct {
	ignoreOld, ignoreNew bool // fields that only this side has
	paths                []string
}

func (f *fieldDiff) compare(path string, before, after any) {
	switch was := before.(type) {
	case map[string]any:
		if is, ok := after.(map[string]any); ok {
			f.mappings(path, was, is)
			return
		}
	case []any:
		if is, ok := after.([]any); ok {
			f.lists(path, was, is)
			return
		}
	default:
		if fmt.Sprint(before) == fmt.Sprint(after) {
			return
		}
	}
	if isEmpty(before) && isEmpty(after) || isEmpty(after) && f.ignoreOld || isEmpty(before) && f.ignoreNew {
		return
	}
	f.paths = append(f.paths, strings.TrimPrefix(path, "."))
}

func (f *fieldDiff) mappings(path string, before, after map[string]any) {
	for _, key := range union(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))) {
		step := "." + key
		if strings.ContainsAny(key, "./[] ") {
			step = "[" + key + "]"
		}
		f.compare(path+step, before[key], after[key])
	}
}

// lists compares elements that have a name by it, and others by their index.
func (f *fieldDiff) lists(path string, before, after []any) {
	was, oldNames := named(before)
	is, newNames := named(after)
	if was == nil || is == nil {
		for i := range max(len(before), len(after)) {
			f.compare(fmt.Sprintf("%s[%d]", path, i), at(before, i), at(after, i))
		}
		return
	}
	found := len(f.paths)
	for _, name := range union(oldNames, newNames) {
		f.compare(path+"["+name+"]", was[name], is[name])
	}
	if len(f.paths) == found && len(oldNames) == len(newNames) && !slices.Equal(oldNames, newNames) {
		f.paths = append(f.paths, strings.TrimPrefix(path, "."))
	}
}

// named returns the elements of a list by name, nil if names are missing or not unique.
func named(list []any) (map[string]any, []string) {
	found := make(map[string]any, len(list))
	names := make([]string, len(list))
	for i, element := range list {
		fields, _ := element.(map[string]any)
		name, ok := fields["name"].(string)
		if _, repeated := found[name]; !ok || repeated {
			return nil, nil
		}
		found[name], names[i] = element, name
	}
	return found, names
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// isEmpty reports whether a value is the same as none.
func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return false
}
