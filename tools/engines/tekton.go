package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"

	"github.com/tektoncd/pipeline/pkg/apis/pipeline"
	v1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	podconvert "github.com/tektoncd/pipeline/pkg/pod"
	pipelinerun "github.com/tektoncd/pipeline/pkg/reconciler/pipelinerun/resources"
	taskrun "github.com/tektoncd/pipeline/pkg/reconciler/taskrun/resources"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

var pipelineRunSchema = sync.OnceValues(func() (*schema, error) {
	return readSchema("github.com/tektoncd/pipeline", "config/300-crds/300-pipelinerun.yaml", "v1")
})

type pipelineRun struct {
	text []byte
	v1.PipelineRun
}

func readPipelineRun(text []byte) (workload, error) {
	r := &pipelineRun{text: text}
	return r, decodeStrictly(text, &r.PipelineRun)
}

// stored returns the object after the webhook has decoded it, set defaults, and encoded it again.
func (r *pipelineRun) stored() any {
	withDefaults := r.DeepCopy()
	withDefaults.SetDefaults(context.Background())
	return withDefaults
}

func (r *pipelineRun) check() []error {
	s, err := pipelineRunSchema()
	if err != nil {
		return []error{err}
	}
	found := s.check(r.text)
	withDefaults := r.DeepCopy()
	ctx := context.Background()
	withDefaults.SetDefaults(ctx)
	if err := withDefaults.Validate(ctx); err != nil {
		found = append(found, fmt.Errorf("validator: %w", err))
	}
	return found
}

// pods returns the Pods that the controller creates for a PipelineRun. It is an error if the controller changes the pipeline
// first.
func (r *pipelineRun) pods() (all []pod, err error) {
	ctx := context.Background()
	spec, err := pipelinerun.ApplyParameters(r.Spec.PipelineSpec, &r.PipelineRun)
	if err != nil {
		return nil, err
	}
	spec = pipelinerun.ApplyWorkspaces(pipelinerun.ApplyContexts(spec, r.Name, &r.PipelineRun), &r.PipelineRun)
	if !reflect.DeepEqual(spec.Tasks, r.Spec.PipelineSpec.Tasks) {
		return nil, errors.New("the pipeline is changed by the controller")
	}
	for i := range spec.Tasks {
		made, err := r.pod(ctx, &spec.Tasks[i])
		if err != nil {
			return nil, err
		}
		all = append(all, pod{r.Name, spec.Tasks[i].Name, made})
	}
	return all, nil
}

// pod creates the Pod of a task as the controller of TaskRuns does (createPod in pkg/reconciler/taskrun/taskrun.go).
func (r *pipelineRun) pod(ctx context.Context, task *v1.PipelineTask) (*corev1.Pod, error) {
	of := r.GetTaskRunSpec(task.Name)
	tr := &v1.TaskRun{
		ObjectMeta: metav1.ObjectMeta{
			Name: r.Name + "-" + task.Name, Namespace: r.Namespace,
			Labels: maps.Clone(r.Labels), Annotations: maps.Clone(r.Annotations),
		},
		Spec: v1.TaskRunSpec{
			PodTemplate: of.PodTemplate, Retries: task.Retries, ServiceAccountName: of.ServiceAccountName,
			TaskSpec: &task.TaskSpec.TaskSpec, Timeout: task.Timeout,
		},
	}
	maps.Copy(tr.Labels, task.TaskSpec.Metadata.Labels)
	maps.Copy(tr.Annotations, task.TaskSpec.Metadata.Annotations)
	tr.SetDefaults(ctx)
	original := tr.Spec.TaskSpec.DeepCopy()
	spec := taskrun.ApplyParameters(original.DeepCopy(), tr)
	spec = taskrun.ApplyContexts(spec, "", tr)
	spec = taskrun.ApplyResults(spec)
	spec = taskrun.ApplyArtifacts(spec)
	spec = taskrun.ApplyStepExitCodePath(spec)
	spec = taskrun.ApplyWorkspaces(ctx, spec, spec.Workspaces, tr.Spec.Workspaces, nil)
	spec = taskrun.ApplyCredentialsPath(spec, pipeline.CredsDir)
	if !reflect.DeepEqual(clean(spec), clean(original)) {
		return nil, fmt.Errorf("task %s is changed by the controller", task.Name)
	}
	if tr.Spec.PodTemplate != nil {
		tr.Spec.PodTemplate = taskrun.ApplyPodTemplateReplacements(tr.Spec.PodTemplate, tr)
		if !reflect.DeepEqual(tr.Spec.PodTemplate, of.PodTemplate) {
			return nil, fmt.Errorf("the Pod template of task %s is changed by the controller", task.Name)
		}
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: tr.Spec.ServiceAccountName, Namespace: r.Namespace}}
	client := fake.NewClientset(account)
	cache, err := podconvert.NewEntrypointCache(client)
	if err != nil {
		return nil, err
	}
	builder := podconvert.Builder{KubeClient: client, EntrypointCache: cache, Images: pipeline.Images{
		EntrypointImage: "entrypoint", NopImage: "nop", ShellImage: "shell", WorkingDirInitImage: "workingdirinit",
	}}
	made, err := builder.Build(ctx, tr, *spec)
	if err != nil {
		return nil, err
	}
	unwrap(made)
	return made, nil
}

// clean removes empty lists that a controller has created from nil.
func clean(spec *v1.TaskSpec) *v1.TaskSpec {
	spec = spec.DeepCopy()
	for i := range spec.Steps {
		if len(spec.Steps[i].Args) == 0 {
			spec.Steps[i].Args = nil
		}
	}
	return spec
}

// unwrap restores the names and commands of steps from the PipelineRun: the entrypoint runs the arguments after `-entrypoint
// COMMAND [ARG…] -- ARG…`.
func unwrap(made *corev1.Pod) {
	for i := range made.Spec.Containers {
		c := &made.Spec.Containers[i]
		name, isStep := strings.CutPrefix(c.Name, "step-")
		c.Name = strings.TrimPrefix(name, "sidecar-")
		if !isStep {
			continue
		}
		for n, arg := range c.Args {
			if arg == "-entrypoint" {
				c.Command = []string{c.Args[n+1]}
				c.Args = c.Args[n+3:]
				break
			}
		}
	}
}
