package engine

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// MergeTemplates applies a patch, a partial pod template, to a pod template by strategic merge: mappings are merged; lists
// with a merge key are merged by it and other lists replaced. Neither argument is changed. Every element of a list with a
// merge key must have it.
func MergeTemplates(template, patch *corev1.PodTemplateSpec) (*corev1.PodTemplateSpec, error) {
	text, err := strategicpatch.StrategicMergePatch(
		yamlprint.AppendJSON(nil, template), yamlprint.AppendJSON(nil, patch), corev1.PodTemplateSpec{})
	if err != nil {
		return nil, fmt.Errorf("merge pod templates: %w", err)
	}
	merged := &corev1.PodTemplateSpec{}
	if err := json.Unmarshal(text, merged); err != nil {
		return nil, fmt.Errorf("decode the merged pod template: %w", err)
	}
	return merged, nil
}
