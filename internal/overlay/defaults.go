package overlay

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// ParseDefaults reads a partial pod template for the Pods of all plugins. It holds differences between clusters, and nothing
// that a script could notice, so that it is no part of the generations of steps. The problem is empty if it is valid.
func ParseDefaults(text string) (*corev1.PodTemplateSpec, string) {
	o, problems := Parse(text)
	if len(problems) > 0 {
		return nil, problems[0].String()
	}
	other := o.Template.DeepCopy()
	other.Labels, other.Annotations = nil, nil
	spec := &other.Spec
	spec.Affinity, spec.ImagePullSecrets, spec.NodeSelector, spec.PriorityClassName = nil, nil, nil, ""
	spec.SchedulerName, spec.Tolerations, spec.TopologySpreadConstraints = "", nil, nil
	var allowed corev1.PodTemplateSpec
	if len(spec.Containers) > 0 && spec.Containers[0].Name == contract.MainContainer {
		spec.Containers[0].Resources = corev1.ResourceRequirements{}
		allowed.Spec.Containers = []corev1.Container{{Name: contract.MainContainer}}
	}
	if !same(other, &allowed) {
		return nil, "must hold only labels and annotations, of spec affinity, imagePullSecrets, nodeSelector, " +
			"priorityClassName, schedulerName, tolerations and topologySpreadConstraints, and resources of the container main"
	}
	return &o.Template, ""
}

func same(a, b any) bool {
	return string(yamlprint.AppendJSON(nil, a)) == string(yamlprint.AppendJSON(nil, b))
}
