package sandbox

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	sigsyaml "sigs.k8s.io/yaml"
)

// repeated is a workload that the API server would not store, but that a file may contain: duplicate merge keys, nulls, and
// empty lists.
const repeated = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: repeated, labels: null, finalizers: [a.example/x, a.example/x]}
spec:
  replicas: null
  template:
    spec:
      tolerations: [null]
      volumes: []
      containers:
      - {name: main, image: main:1, env: [{name: A, value: a}, {name: B, value: b}, {name: A, value: again}]}
      - {name: side, image: side:1, command: [a, null], args: []}
      - {name: main, image: other:1, ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]}
`

// generatedWorkloads returns Deployments after patches, optionally converted to other kinds.
func generatedWorkloads(t *testing.T, random *rand.Rand, count int, kinds ...string) (workloads []object) {
	t.Helper()
	for len(workloads) < count {
		text, err := sigsyaml.YAMLToJSON([]byte(pick(random, simple, rich, repeated)))
		require.NoError(t, err)
		var workload object
		require.NoError(t, json.Unmarshal(text, &workload))
		patch, err := json.Marshal(randomPatch(random))
		require.NoError(t, err)
		if workload, err = strategicMerge(workload, patch); err == nil {
			workload["kind"] = pick(random, kinds...)
			workloads = append(workloads, workload)
		}
	}
	return workloads
}

// generatedPatch returns a patch of a type for a workload.
func generatedPatch(random *rand.Rand, kind string, workload object) any {
	switch kind {
	case "strategic":
		return withRepeats(random, randomPatch(random))
	case "merge":
		patch := mergePatch(random, workload)
		if patch == nil { // the rule patch-value rejects it, as kubectl does
			return object{}
		}
		return patch
	}
	operations := make([]any, pick(random, 1, 1, 1, 2, 2, 3))
	for i := range operations {
		operations[i] = randomOperation(random, pointers("", workload))
	}
	return operations
}

// withRepeats repeats some elements of the lists of a patch, empties other lists, and adds mismatched elements.
func withRepeats(random *rand.Rand, value any) any {
	switch value := value.(type) {
	case object:
		for key := range value {
			value[key] = withRepeats(random, value[key])
			if random.IntN(200) == 0 {
				value[key] = pick[any](random, nil, object{}, []any{object{}}, "x")
			}
		}
	case []any:
		for i := range value {
			value[i] = withRepeats(random, value[i])
		}
		switch {
		case len(value) > 0 && random.IntN(6) == 0:
			return append(value, value[random.IntN(len(value))])
		case random.IntN(20) == 0:
			return pick(random, []any{}, append(value, nil), append(value, "x"), append(value, object{}), append(value, []any{}))
		}
	}
	return value
}

// mergePatch returns a merge patch that changes, removes and adds parts of a value.
func mergePatch(random *rand.Rand, of any) any {
	mapping, isMapping := of.(object)
	if !isMapping || random.IntN(12) == 0 {
		return randomValue(random, of)
	}
	patch := object{}
	for key, value := range mapping {
		if random.IntN(3) == 0 {
			patch[key] = mergePatch(random, value)
		}
	}
	if random.IntN(3) == 0 {
		patch[pick(random, "new", "labels", "a/b", "")] = randomValue(random, of)
	}
	return patch
}

// randomValue returns a value, which may be the current one.
func randomValue(random *rand.Rand, there any) any {
	return pick[any](random, there, nil, nil, "x", "", true, int64(7), 1.5, object{}, []any{}, []any{nil}, []any{"a", nil},
		object{"a": nil}, object{"a": object{"b": nil}, "name": "n"}, []any{object{"name": "main", "x": nil}}, "<&>\u2028")
}

// pointer is a value of an object, with its JSON pointer.
type pointer struct {
	path  string
	value any
}

// pointers returns the pointers of a value and of all values within it, with sorted keys.
func pointers(path string, value any) []pointer {
	all := []pointer{{path, value}}
	switch value := value.(type) {
	case object:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			all = append(all, pointers(path+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(key), value[key])...)
		}
	case []any:
		for i, element := range value {
			all = append(all, pointers(path+"/"+strconv.Itoa(i), element)...)
		}
	}
	return all
}

// randomOperation returns an operation of a JSON patch, usually on an existing value.
func randomOperation(random *rand.Rand, all []pointer) object {
	at, from := all[random.IntN(len(all))], all[random.IntN(len(all))]
	operation := object{
		"op":   pick(random, "add", "remove", "replace", "move", "copy", "test", "test"),
		"path": at.path, "value": randomValue(random, at.value),
	}
	if operation["op"] == "test" && random.IntN(3) > 0 {
		operation["value"] = at.value
	}
	if parent := strings.LastIndexByte(at.path, '/'); parent >= 0 && random.IntN(5) == 0 {
		operation["path"] = at.path[:parent] + pick(random, "/-", "/-1", "/-2", "/-99", "/0", "/1", "/99", "/01", "/+1", "/x", "/", "")
	} else if random.IntN(6) == 0 {
		operation["path"] = at.path + pick(random, "/new", "/a~1b", "/new/below", "/0", "/-1", "/~", "/")
	}
	if op := operation["op"]; op == "move" || op == "copy" {
		operation["from"] = from.path + pick(random, "", "", "", "", "", "", "/nothing", "/-1")
		delete(operation, "value")
	}
	if _, isMapping := operation["value"].(object); operation["path"] == "" && !isMapping {
		operation["value"] = object{} // kubectl ignores a scalar up to v1.34; later versions reject it
	}
	switch random.IntN(40) {
	case 0:
		delete(operation, pick(random, "op", "path", "value", "from"))
	case 1:
		operation["path"] = pick(random, "spec", "spec/replicas", "/")
	case 2:
		operation[pick(random, "op", "path", "from")] = nil
	}
	return operation
}
