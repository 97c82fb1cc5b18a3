package undo

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engines"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// DocumentDigest returns the digest of a sandbox's spec, given the document as JSON. Comments and the order of fields do not
// count, nor do the versions of its plugins: resolution pins them.
func DocumentDigest(text []byte) (string, error) {
	var document struct {
		Spec map[string]any `json:"spec"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return "", err
	}
	resources, _ := document.Spec["resources"].([]any)
	for _, one := range resources {
		resource, _ := one.(map[string]any)
		if plugin, isText := resource["plugin"].(string); isText {
			resource["plugin"], _, _ = strings.Cut(plugin, "@")
		}
	}
	text, err := json.Marshal(document.Spec)
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), err
}

// generationsOf returns the generations of the create steps of objects, sorted and separated by commas.
func generationsOf(objects []*krm.Item) (string, error) {
	all := map[string]bool{}
	for _, item := range objects {
		if phase, _ := item.Annotation(contract.PhaseKey); phase != string(v1alpha1.PhaseCreate) {
			continue
		}
		if generation, isOne := item.Annotation(contract.GenerationKey); isOne {
			all[generation] = true
			continue
		}
		if !slices.Contains(engines.Workloads(), item.Kind()) {
			continue
		}
		content, err := render.ReadObject(item)
		if err != nil {
			return "", err
		}
		maps.Copy(all, Generations(content))
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), ","), nil
}

// Generations returns the generations of the steps that an object runs, or that may publish in it: engines have several
// steps in one object.
func Generations(content any) map[string]bool {
	all := map[string]bool{}
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, one := range value {
				walk(one)
			}
		case map[string]any:
			if generation, isText := value[contract.GenerationKey].(string); isText {
				all[generation] = true
			}
			for _, one := range value {
				walk(one)
			}
		}
	}
	walk(content)
	return all
}
