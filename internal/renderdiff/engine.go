package renderdiff

import (
	"encoding/json"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/pkg/render/engine"
)

// workflow has the fields of a Workflow that say what its Pods are.
type workflow struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Templates []json.RawMessage `json:"templates"`
	} `json:"spec"`
}

// workflowTemplate is a task of a Workflow. Its other fields are those of a Pod.
type workflowTemplate struct {
	Name         string            `json:"name"`
	Metadata     metav1.ObjectMeta `json:"metadata"`
	Container    *corev1.Container `json:"container"`
	ContainerSet struct {
		Containers []corev1.Container `json:"containers"`
	} `json:"containerSet"`
	Sidecars     []corev1.Container `json:"sidecars"`
	PodSpecPatch string             `json:"podSpecPatch"`
	DAG          json.RawMessage    `json:"dag"`
}

// pipelineRun has the fields of a PipelineRun that say what its Pods are.
type pipelineRun struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		PipelineSpec struct {
			Tasks []struct {
				Name     string `json:"name"`
				TaskSpec struct {
					Metadata metav1.ObjectMeta `json:"metadata"`
					Steps    []tektonContainer `json:"steps"`
					Sidecars []tektonContainer `json:"sidecars"`
					Volumes  []corev1.Volume   `json:"volumes"`
				} `json:"taskSpec"`
			} `json:"tasks"`
		} `json:"pipelineSpec"`
		TaskRunSpecs []struct {
			PipelineTaskName   string         `json:"pipelineTaskName"`
			PodTemplate        corev1.PodSpec `json:"podTemplate"`
			ServiceAccountName string         `json:"serviceAccountName"`
		} `json:"taskRunSpecs"`
	} `json:"spec"`
}

// tektonContainer is a container of a task.
type tektonContainer struct {
	corev1.Container `json:",inline"`

	ComputeResources corev1.ResourceRequirements `json:"computeResources"`
}

// decodeWorkflow takes the tasks of a Workflow, each as an object with the Pod template that a Job would have.
func (o *object) decodeWorkflow(text []byte) error {
	var w workflow
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	o.ObjectMeta = w.Metadata
	for _, raw := range w.Spec.Templates {
		var of workflowTemplate
		var template corev1.PodTemplateSpec
		for _, into := range []any{&of, &template.Spec} {
			if err := json.Unmarshal(raw, into); err != nil {
				return err
			}
		}
		if of.DAG != nil {
			continue
		}
		template.Spec.Containers = slices.Concat(of.ContainerSet.Containers, of.Sidecars)
		if of.Container != nil {
			template.Spec.Containers = append([]corev1.Container{*of.Container}, of.Sidecars...)
		}
		var patch corev1.PodTemplateSpec
		if of.PodSpecPatch != "" {
			if err := json.Unmarshal([]byte(of.PodSpecPatch), &patch.Spec); err != nil {
				return err
			}
		}
		merged, err := overlay.Merge(&template, &patch)
		if err != nil {
			return err
		}
		o.addTask(of.Name, &of.Metadata, &merged.Spec)
	}
	return nil
}

// decodePipelineRun takes the tasks of a PipelineRun in the same way.
func (o *object) decodePipelineRun(text []byte) error {
	var p pipelineRun
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	o.ObjectMeta = p.Metadata
	for i := range p.Spec.PipelineSpec.Tasks {
		of := &p.Spec.PipelineSpec.Tasks[i]
		var pod corev1.PodSpec
		for j := range p.Spec.TaskRunSpecs {
			if more := &p.Spec.TaskRunSpecs[j]; more.PipelineTaskName == of.Name {
				pod = more.PodTemplate
				pod.ServiceAccountName = more.ServiceAccountName
			}
		}
		pod.Volumes = of.TaskSpec.Volumes
		for _, c := range slices.Concat(of.TaskSpec.Steps, of.TaskSpec.Sidecars) {
			c.Resources = c.ComputeResources
			pod.Containers = append(pod.Containers, c.Container)
		}
		o.addTask(of.Name, &of.TaskSpec.Metadata, &pod)
	}
	return nil
}

// addTask adds a task with the metadata and the spec of its Pods.
func (o *object) addTask(name string, m *metav1.ObjectMeta, pod *corev1.PodSpec) {
	task := &object{
		ObjectMeta: o.ObjectMeta, task: name,
		job: &batchv1.JobSpec{Template: corev1.PodTemplateSpec{ObjectMeta: *m, Spec: *pod}},
	}
	task.Labels, task.Annotations = engine.Merged(o.Labels, m.Labels), engine.Merged(o.Annotations, m.Annotations)
	if helper := task.fact(contract.HelperKey); helper != "" && len(pod.Containers) > 0 {
		task.job.Template.Spec.Containers[0].Name = helper // as in its Job
	}
	o.tasks = append(o.tasks, task)
}

// inline gives variables of main that an engine reads from a rendered ConfigMap the values that they have in a Job.
func (s *state) inline(o *object) {
	one := step{object: o}
	main := one.main()
	for i := range main.Env {
		v := &main.Env[i]
		from := configMapOf(v)
		if from == nil {
			continue
		}
		if values := s.find(kindConfigMap, o.namespace, from.Name); values != nil {
			v.Value, v.ValueFrom = strings.ReplaceAll(values.data[from.Key], "$", "$$"), nil
		}
	}
}

// configMapOf returns what a variable reads of a rendered ConfigMap, nil if it does not.
func configMapOf(v *corev1.EnvVar) *corev1.ConfigMapKeySelector {
	if v.ValueFrom == nil || v.ValueFrom.ConfigMapKeyRef == nil || !contract.IsObjectName(v.ValueFrom.ConfigMapKeyRef.Name) {
		return nil
	}
	return v.ValueFrom.ConfigMapKeyRef
}

// values notes that values of variables are not known, since a side does not have the ConfigMap.
func (d *comparison) values() {
	for _, side := range []struct {
		*state
		of *step
	}{{d.before, d.old}, {d.after, d.new}} {
		for i := range side.of.main().Env {
			if from := configMapOf(&side.of.main().Env[i]); from != nil {
				d.cannot("params, since %s does not have ConfigMap %q", side.name, from.Name)
				return
			}
		}
	}
}

// isOfEngine reports whether the step is a task of a workload that runs all of its phase.
func (o *object) isOfEngine() bool { return o.task != "" }

// changesEngine reports whether the sides have different engines for a step: their Pods differ in much.
func (d *comparison) changesEngine() bool {
	return d.old.kind != d.new.kind && (d.old.isOfEngine() || d.new.isOfEngine())
}
