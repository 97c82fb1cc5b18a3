package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// applyPatch applies a patch of type strategic, merge (RFC 7386) or json (RFC 6902) to a workload as `kubectl patch` does,
// with the libraries that kubectl links. The value is JSON or YAML; an empty one changes nothing. The workload itself may
// be changed.
func applyPatch(workload object, kind, value string) (object, error) {
	patch, err := patchJSON(value)
	if err != nil || string(patch) == "null" {
		return workload, err
	}
	if kind == "strategic" {
		return strategicMerge(workload, patch)
	}
	text, err := json.Marshal(workload)
	if err != nil {
		return nil, err
	}
	if kind == "merge" {
		text, err = jsonpatch.MergePatch(text, patch)
	} else {
		text, err = applyOperations(text, patch)
	}
	if err != nil {
		return nil, err
	}
	var patched object
	if err := utiljson.Unmarshal(text, &patched); err != nil || patched == nil {
		return nil, errors.New("must leave a mapping, the workload")
	}
	return patched, nil
}

// applyOperations applies the operations of a JSON patch one by one, so that an error can name the one that failed.
func applyOperations(workload, patch []byte) ([]byte, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, errors.New("must be a list of operations, such as [{op: replace, path: /spec/replicas, value: 1}]")
	}
	for i, operation := range operations {
		if workload, err = operations[i : i+1].Apply(workload); err != nil {
			path, _ := operation.Path()
			return nil, fmt.Errorf("operation %d (%s %q) must apply to the workload: %w", i+1, operation.Kind(), path, err)
		}
	}
	return workload, nil
}

// patchJSON returns a patch as JSON.
func patchJSON(text string) ([]byte, error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	first, err := documents.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if _, err := documents.Read(); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be one document: remove what follows `---`")
	}
	patch, err := yaml.YAMLToJSON(first)
	if err != nil {
		return nil, fmt.Errorf("must be JSON or YAML: %w", err)
	}
	return patch, nil
}

func strategicMerge(workload object, text []byte) (object, error) {
	var patch object
	if err := utiljson.Unmarshal(text, &patch); err != nil {
		return nil, errors.New("must be a mapping, such as {spec: …}")
	}
	var example any = appsv1.Deployment{}
	if workload["kind"] == rollout {
		example = rolloutSchema{}
	}
	known, err := strategicpatch.NewPatchMetaFromStruct(example)
	if err != nil {
		return nil, err
	}
	patched, err := strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(workload, patch, lenientSchema{known})
	if err != nil {
		return nil, fmt.Errorf("must apply to the workload: %w", err)
	}
	return patched, nil
}

// rolloutSchema is what of Argo's Rollout has merge keys: what it shares with a Deployment.
type rolloutSchema struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Template corev1.PodTemplateSpec `json:"template"`
	} `json:"spec"`
}

// lenientSchema is a schema that also accepts what its type does not have, such as fields that are newer than this program:
// mappings are merged, and lists replaced. strategicpatch alone refuses to look into such fields.
type lenientSchema struct{ strategicpatch.LookupPatchMeta }

// LookupPatchMetadataForStruct returns the schema of a field that is a mapping.
func (s lenientSchema) LookupPatchMetadataForStruct(key string) (
	strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error,
) {
	if s.LookupPatchMeta != nil {
		if field, meta, err := s.LookupPatchMeta.LookupPatchMetadataForStruct(key); err == nil {
			return lenientSchema{field}, meta, nil
		}
	}
	return lenientSchema{}, strategicpatch.PatchMeta{}, nil
}

// LookupPatchMetadataForSlice returns the schema of the elements of a field that is a list.
func (s lenientSchema) LookupPatchMetadataForSlice(key string) (
	strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error,
) {
	if s.LookupPatchMeta != nil {
		if field, meta, err := s.LookupPatchMeta.LookupPatchMetadataForSlice(key); err == nil {
			return lenientSchema{field}, meta, nil
		}
	}
	return lenientSchema{}, strategicpatch.PatchMeta{}, nil
}
