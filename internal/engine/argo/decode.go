package argo

import (
	"encoding/json"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
)

// Decode implements engine.Engine.
func (Engine) Decode(_ string, text []byte) (*engine.Decoded, error) {
	var w Workflow
	if err := json.Unmarshal(text, &w); err != nil {
		return nil, err
	}
	decoded := &engine.Decoded{ObjectMeta: w.ObjectMeta}
	for i := range w.Spec.Templates {
		t := &w.Spec.Templates[i]
		if t.DAG != nil {
			continue
		}
		template, err := t.decode()
		if err != nil {
			return nil, err
		}
		decoded.Tasks = append(decoded.Tasks, engine.DecodedTask{Name: t.Name, Job: batchv1.JobSpec{Template: *template}})
	}
	return decoded, nil
}

// decode returns the Pod template that the template was created from, as far as it is known.
func (t *Template) decode() (*corev1.PodTemplateSpec, error) {
	template := &corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Annotations: t.Metadata.Annotations, Labels: t.Metadata.Labels},
		Spec: corev1.PodSpec{
			ActiveDeadlineSeconds: t.ActiveDeadlineSeconds, Affinity: t.Affinity,
			AutomountServiceAccountToken: t.AutomountServiceAccountToken, Containers: t.containers(), HostAliases: t.HostAliases,
			InitContainers: t.InitContainers, NodeSelector: t.NodeSelector, PriorityClassName: t.PriorityClassName,
			SchedulerName: t.SchedulerName, SecurityContext: t.SecurityContext, ServiceAccountName: t.ServiceAccountName,
			Tolerations: t.Tolerations, Volumes: t.Volumes,
		},
	}
	var patch corev1.PodTemplateSpec
	if t.PodSpecPatch != "" {
		if err := json.Unmarshal([]byte(t.PodSpecPatch), &patch.Spec); err != nil {
			return nil, err
		}
	}
	merged, err := engine.MergeTemplates(template, &patch)
	if err != nil {
		return nil, err
	}
	if helper := t.Metadata.Labels[contract.HelperKey]; helper != "" && len(merged.Spec.Containers) > 0 {
		merged.Spec.Containers[0].Name = helper // as in its Job
	}
	return merged, nil
}

// containers returns all containers except init containers.
func (t *Template) containers() []corev1.Container {
	var main []corev1.Container
	if t.Container != nil {
		main = append(main, *t.Container)
	} else if t.ContainerSet != nil {
		main = t.ContainerSet.Containers
	}
	return slices.Concat(main, t.Sidecars)
}
