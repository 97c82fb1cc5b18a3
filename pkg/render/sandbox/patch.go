package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	goyaml "go.yaml.in/yaml/v3"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// applyPatch applies a patch of type strategic, merge (RFC 7386) or json (RFC 6902) to a workload as `kubectl patch`
// does, with the same libraries. The value is JSON or YAML; an empty one changes nothing. The workload itself may be
// changed.
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

// maxPatch is the size limit of a patch, in bytes of JSON: that of requests to the API server
// (https://github.com/kubernetes/apiserver/blob/v0.34.3/pkg/server/config.go, MaxRequestBodyBytes).
const maxPatch = 3 << 20

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
	if err := checkTree(first); err != nil {
		return nil, err
	}
	patch, err := yaml.YAMLToJSON(first)
	if err != nil {
		return nil, fmt.Errorf("must be JSON or YAML: %w", err)
	}
	if len(patch) > maxPatch {
		return nil, fmt.Errorf("must have at most %d MiB as JSON", maxPatch>>20)
	}
	return patch, nil
}

// checkTree reports a patch that is small only as text: its aliases expand to too much, or it is so deep that most of
// the printed workload would be indentation.
func checkTree(text []byte) error {
	var document goyaml.Node
	if err := goyaml.Unmarshal(text, &document); err != nil {
		return fmt.Errorf("must be JSON or YAML: %w", err)
	}
	if len(document.Content) == 0 {
		return nil
	}
	expanded, problems := strictyaml.Expand(document.Content[0], "")
	if len(problems) > 0 {
		return fmt.Errorf("must be JSON or YAML: %s %s", problems[0].Path, problems[0].Message)
	}
	if depth(expanded) > strictyaml.MaxDepth {
		return fmt.Errorf("must not nest more than %d lists and mappings in each other", strictyaml.MaxDepth)
	}
	return nil
}

func depth(node *goyaml.Node) int {
	deepest := 0
	for _, child := range node.Content {
		deepest = max(deepest, depth(child))
	}
	return deepest + 1
}

// errNotText replaces a panic of strategicpatch: the values by which it compares elements must be texts, numbers or
// bools.
var errNotText = errors.New("must not have lists or mappings as merge keys, in $retainKeys, or in lists of lists")

// strategicMerge applies a strategic merge patch.
func strategicMerge(workload object, text []byte) (patched object, err error) {
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
	schema := lenientSchema{known}
	if err := checkMergedLists(workload, patch, schema); err != nil {
		return nil, err
	}
	defer func() {
		if recover() != nil {
			patched, err = nil, errNotText
		}
	}()
	if patched, err = strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(workload, patch, schema); err != nil {
		return nil, fmt.Errorf("must apply to the workload: %w", shortened(err))
	}
	return patched, nil
}

// shortened returns an error of strategicpatch, which may quote whole lists, without its middle.
func shortened(err error) error {
	const start, end = 200, 60 // bytes
	message := err.Error()
	if len(message) <= start+end {
		return err
	}
	return errors.New(strings.ToValidUTF8(message[:start], "") + " … " + strings.ToValidUTF8(message[len(message)-end:], ""))
}

// rolloutSchema is the part of Argo's Rollout with merge keys: its common fields with a Deployment.
type rolloutSchema struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Template corev1.PodTemplateSpec `json:"template"`
	} `json:"spec"`
}

// lenientSchema is a schema that also accepts fields that its type lacks, such as those that are newer than this
// program: mappings are merged, and lists replaced. Without it strategicpatch rejects such fields.
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
