// Package argo runs the tasks of a phase in a Workflow of Argo Workflows (https://argo-workflows.readthedocs.io): a DAG with
// a template for each task. A task starts when those before it have succeeded, so no Pod waits.
//
// A plain step is a container. A step with data is a containerSet of main and the helper that publishes, after an init
// container, the helper that reads: the files of inputs are mounted before any container of the set starts. The set has no
// dependencies. As in a Job, the publisher runs beside main and learns from a lock that main's process has ended. So it also
// ends if main is killed, and records the failure.
//
// The controller replaces {{…}} in all texts of a Workflow, but not in scripts and Secrets. Values of users are read from
// ConfigMaps and Secrets, and fields of an overlay's Pod that contain {{ are in the podSpecPatch, with \u007b for a brace.
package argo

import (
	"regexp"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// Name is the name of the engine in v1alpha1.RenderPhase.Engine.
const Name = "argo"

// Kind is the kind of the workloads.
const Kind = "Workflow"

const (
	group      = "argoproj.io"
	apiVersion = group + "/v1alpha1"
)

var kind = engine.Kind{
	Group: group, Name: Kind, Resource: "workflows." + group, IsCustom: true, PodLabel: "workflows." + group + "/workflow",
}

// maxSpec is the size limit of a spec, in bytes: the controller rejects a Workflow of 1 MiB, including its status.
const maxSpec = 768 << 10

// The controller replaces expressions between these.
const (
	opening = "{{"
	closing = "}}"
)

// traits have the permission that the executor in each Pod needs to report its result
// (https://argo-workflows.readthedocs.io/en/release-3.7/workflow-rbac/).
var traits = engine.Traits{
	Name: Name, Title: "Argo Workflows", Kinds: []engine.Kind{kind},
	Expansion: regexp.MustCompile(regexp.QuoteMeta(opening)), MaxSpec: maxSpec,
	PodRules: []rbacv1.PolicyRule{{
		APIGroups: []string{group}, Resources: []string{"workflowtaskresults"}, Verbs: []string{"create", "patch"},
	}},
}

// Engine is the engine of Argo Workflows.
type Engine struct{}

// Traits implements engine.Engine.
func (Engine) Traits() engine.Traits { return traits }

// Start implements engine.Engine.
func (Engine) Start(options engine.Options, phase engine.Phase) engine.Run {
	return &run{Options: options, phase: phase, names: engine.Names{}}
}

type run struct {
	engine.Options

	phase     engine.Phase
	names     engine.Names
	tasks     []DAGTask
	templates []Template
	seconds   int64
}

// Add adds a template and a node of the graph.
func (r *run) Add(t engine.Task) *engine.Workload {
	name := r.names.Add(t.Name)
	node := DAGTask{Name: name, Template: name}
	for _, i := range t.After {
		node.Dependencies = append(node.Dependencies, r.tasks[i].Name)
	}
	r.tasks = append(r.tasks, node)
	r.templates = append(r.templates, r.template(name, t))
	r.seconds = max(r.seconds, t.Seconds)
	return nil
}

// Finish returns the Workflow. Its name ends in a hash of its spec, since the controller does not run a changed spec. As
// with Jobs, other branches of the graph continue if one fails. The Pods of a successful phase are removed.
//
// All tasks are targets, because an omitted task has the result of the tasks before it, and because the controller considers
// a containerSet successful if its containers succeeded, even if its executor failed: assessDAGPhase of
// https://github.com/argoproj/argo-workflows/blob/v3.7.14/workflow/controller/dag.go.
func (r *run) Finish() *engine.Workload {
	if len(r.tasks) == 0 {
		return nil
	}
	targets := make([]string, len(r.tasks))
	for i := range r.tasks {
		targets[i] = r.tasks[i].Name
	}
	entrypoint := Template{Name: r.names.Add(r.phase.Name), DAG: &DAG{Target: strings.Join(targets, " "), Tasks: r.tasks}}
	w := &Workflow{
		TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: Kind}, ObjectMeta: r.phase.Metadata,
		Spec: WorkflowSpec{
			ActiveDeadlineSeconds: r.seconds, Entrypoint: entrypoint.Name, PodGC: PodGC{"OnWorkflowSuccess"},
			Templates: append([]Template{entrypoint}, r.templates...),
		},
	}
	if ttl := r.TTLSecondsAfterFinished; ttl >= 0 {
		w.Spec.TTLStrategy = &TTLStrategy{int32(ttl)}
	}
	text := yamlprint.AppendJSON(nil, &w.Spec)
	w.Name = contract.ObjectName(contract.Hash(Kind, string(text)), append(r.phase.Texts, r.phase.Name)...)
	return &engine.Workload{Manifest: w, SpecBytes: len(text)}
}
