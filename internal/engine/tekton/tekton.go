// Package tekton runs the tasks of a phase in a PipelineRun of Tekton (https://tekton.dev) with an embedded pipeline and
// tasks. A task starts when those before it have succeeded, so no Pod waits.
//
// A plain step is a task with one step. A step with data is a task with three steps, which run in sequence in a Pod: the
// helper that reads, main, and the helper that publishes. Kubernetes creates their containers at once, so the files of
// inputs are mounted from the Secrets of their producers.
//
// The controller replaces $(…) in most texts of a PipelineRun. Values of users are read from ConfigMaps and Secrets. An
// overlay with a reference that Tekton knows is rejected, since it cannot be escaped.
package tekton

import (
	"fmt"
	"regexp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// Name is the name of the engine in v1alpha1.RenderPhase.Engine.
const Name = "tekton"

// Kind is the kind of the workloads.
const Kind = "PipelineRun"

const (
	group      = "tekton.dev"
	apiVersion = group + "/v1"
)

// Labels of TaskRuns and Pods.
const (
	runLabel  = group + "/pipelineRun"
	taskLabel = group + "/pipelineTask"
)

var (
	runKind     = engine.Kind{Group: group, Name: Kind, Resource: "pipelineruns." + group, IsCustom: true, PodLabel: runLabel}
	taskRunKind = engine.Kind{
		Group: group, Name: "TaskRun", Resource: "taskruns." + group, IsCustom: true, WorkloadLabel: runLabel,
	}
)

// maxSpec is the size limit of a spec, in bytes: Tekton copies it to the status, and etcd accepts requests up to 1.5 MiB.
const maxSpec = 640 << 10

// expansion matches the start of references that Tekton replaces
// (https://github.com/tektoncd/pipeline/blob/v1.15.0/docs/variables.md). Kubernetes' own references have no dot or bracket.
var expansion = regexp.MustCompile(
	`\$\((artifacts|context|credentials|finally|inputs|outputs|params|resources|results|step|steps|tasks|workspaces)[.\[]`)

var traits = engine.Traits{
	Name: Name, Title: "Tekton", Kinds: []engine.Kind{runKind, taskRunKind}, MountsOutputs: true, KeepsEnded: true,
	Expansion: expansion, MaxSpec: maxSpec,
	Repeats: map[string][]string{"TaskRunImagePullFailed": {"BackOff", "Failed", "ErrImagePull", "ImagePullBackOff"}},
}

// Engine is the engine of Tekton.
type Engine struct{}

// Traits implements engine.Engine.
func (Engine) Traits() engine.Traits { return traits }

// Start implements engine.Engine.
func (Engine) Start(options engine.Options, phase engine.Phase) engine.Run {
	return &run{retries: options.Retries, phase: phase, names: engine.Names{}}
}

type run struct {
	retries int
	phase   engine.Phase
	names   engine.Names
	tasks   []PipelineTask
	specs   []TaskRunSpec
	seconds int64
}

// Add adds a task to the pipeline.
func (r *run) Add(t engine.Task) *engine.Workload {
	task := PipelineTask{
		Name: r.names.Add(t.Name), Retries: r.retries, TaskSpec: taskSpec(t.Template), Timeout: duration(t.TrySeconds),
	}
	for _, i := range t.After {
		task.RunAfter = append(task.RunAfter, r.tasks[i].Name)
	}
	r.tasks = append(r.tasks, task)
	r.specs = append(r.specs, TaskRunSpec{
		PipelineTaskName: task.Name, PodTemplate: podTemplate(&t.Template.Spec),
		ServiceAccountName: t.Template.Spec.ServiceAccountName,
	})
	r.seconds = max(r.seconds, t.Seconds)
	return nil
}

// Finish returns the PipelineRun. Its name ends in a hash of its spec, since Tekton rejects changes of a finished run.
func (r *run) Finish() *engine.Workload {
	if len(r.tasks) == 0 {
		return nil
	}
	run := &PipelineRun{
		TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: Kind}, ObjectMeta: r.phase.Metadata,
		Spec: PipelineRunSpec{
			PipelineSpec: PipelineSpec{r.tasks}, TaskRunSpecs: r.specs, Timeouts: Timeouts{duration(r.seconds)},
		},
	}
	text := yamlprint.AppendJSON(nil, &run.Spec)
	run.Name = contract.ObjectName(contract.Hash(Kind, string(text)), append(slices.Clone(r.phase.Texts), r.phase.Name)...)
	return &engine.Workload{Manifest: run, SpecBytes: len(text)}
}

// duration formats seconds as Go does, which is how Tekton stores them.
func duration(seconds int64) string {
	h, m, s := seconds/3600, seconds/60%60, seconds%60
	switch {
	case h > 0:
		return fmt.Sprintf("%dh%dm%ds", h, m, s)
	case m > 0:
		return fmt.Sprintf("%dm%ds", m, s)
	default:
		return fmt.Sprintf("%ds", s)
	}
}
