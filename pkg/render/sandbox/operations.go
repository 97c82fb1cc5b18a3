package sandbox

import (
	"errors"
	"fmt"
	"sort"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// Limits of a JSON patch, as in the API server: without them a patch of a few lines could double a workload often
// enough to exhaust the memory (https://github.com/kubernetes/apiserver/blob/v0.34.3/pkg/endpoints/handlers/patch.go,
// maxJSONPatchOperations, and
// https://github.com/kubernetes/apiserver/blob/v0.34.3/pkg/server/config.go, JSONPatchMaxCopyBytes).
const (
	maxOperations = 10_000
	maxCopied     = 3 << 20 // bytes of JSON
)

// The limit is a variable of the library. It is set before any goroutine can read it.
func init() { jsonpatch.AccumulatedCopySizeLimit = maxCopied }

var errNull = errors.New("a null in a list cannot be compared, and nothing can be added below a null")

// applyOperations applies a whole JSON patch, as kubectl does: the result of applying operations one by one, with
// encoding in between, may differ. If it fails, the error is about the first failing operation, which is searched for.
func applyOperations(workload, patch []byte) ([]byte, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, errors.New("must be a list of operations, such as [{op: replace, path: /spec/replicas, value: 1}]")
	}
	if len(operations) > maxOperations {
		return nil, fmt.Errorf("must have at most %d operations, not %d", maxOperations, len(operations))
	}
	patched, err := applyAll(workload, operations)
	if err == nil {
		return patched, nil
	}
	failed := sort.Search(len(operations)-1, func(i int) bool {
		_, problem := applyAll(workload, operations[:i+1])
		if problem != nil {
			err = problem
		}
		return problem != nil
	})
	operation := operations[failed]
	if tooLarge := new(jsonpatch.AccumulatedCopySizeError); errors.As(err, &tooLarge) {
		err = fmt.Errorf("all copies must have at most %d MiB together", maxCopied>>20)
	}
	path, _ := operation.Path()
	return nil, fmt.Errorf("operation %d (%s %q) must apply to the workload: %w", failed+1, operation.Kind(), path, err)
}

// applyAll applies operations. The library panics on some nulls.
func applyAll(workload []byte, operations jsonpatch.Patch) (patched []byte, err error) {
	defer func() {
		if recover() != nil {
			err = errNull
		}
	}()
	return operations.Apply(workload)
}
