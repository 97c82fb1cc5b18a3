package localrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// phase is a phase as read from its rendered objects.
type phase struct {
	name      v1alpha1.Phase
	sandboxID string
	steps     []*step
	values    values
}

// step is a step as read from its Job or Pod.
type step struct {
	object    string // the name of the Job or Pod
	namespace string
	sandbox   string
	sandboxID string
	resource  string
	name      string
	phase     v1alpha1.Phase
	// generation identifies the content of the step.
	generation string
	template   *corev1.PodTemplateSpec
	// attempts is the maximum number of Pods.
	attempts int
	// jobDeadline limits all attempts together; 0 means no limit.
	jobDeadline time.Duration
	// plan is nil for a step without data flow.
	plan *contract.Plan
	// inputs are the Secrets of the plan's producers, and output is the step's own.
	inputs []string
	output string
}

// main returns the container that runs the script.
func (s *step) main() *corev1.Container {
	for i := range s.template.Spec.Containers {
		if c := &s.template.Spec.Containers[i]; c.Name == contract.MainContainer {
			return c
		}
	}
	return nil
}

// readPhase reads the objects of one phase of one sandbox.
func readPhase(objects []*krm.Item, name v1alpha1.Phase) (*phase, error) {
	p := &phase{name: name, values: values{map[string][]bound{}, map[string][]bound{}}}
	for _, object := range objects {
		if err := p.read(object); err != nil {
			return nil, fmt.Errorf("%s %q: %w", object.Kind(), object.Name(), err)
		}
	}
	if len(p.steps) == 0 {
		return nil, errors.New("nothing to run: the objects have no step of this phase")
	}
	for _, s := range p.steps {
		if s.sandboxID != p.steps[0].sandboxID || s.phase != p.steps[0].phase {
			return nil, fmt.Errorf("one phase of one sandbox must be run at a time, not the %s phase of sandbox %q and "+
				"the %s phase of sandbox %q", p.steps[0].phase, p.steps[0].sandbox, s.phase, s.sandbox)
		}
	}
	p.name, p.sandboxID = p.steps[0].phase, p.steps[0].sandboxID
	return p, nil
}

// read adds an object if it is relevant for running steps.
func (p *phase) read(object *krm.Item) error {
	switch object.APIVersion() + "/" + object.Kind() {
	case "batch/v1/" + jobs.Job, "v1/" + jobs.Pod:
		return p.readWorkload(object)
	case "v1/Secret", "v1/ConfigMap":
		return p.values.add(object)
	}
	return nil
}

// readWorkload adds a Job or Pod.
func (p *phase) readWorkload(object *krm.Item) error {
	text, err := jsonOf(object)
	if err != nil {
		return err
	}
	workload, err := jobs.Engine{}.Decode(object.Kind(), text)
	if err != nil {
		return err
	}
	job := &workload.Tasks[0].Job
	s := &step{object: workload.Name, namespace: workload.Namespace, template: &job.Template, attempts: 1}
	if job.BackoffLimit != nil {
		s.attempts = max(1, int(*job.BackoffLimit)+1)
	}
	if seconds := job.ActiveDeadlineSeconds; seconds != nil {
		s.jobDeadline = time.Duration(*seconds) * time.Second
	}
	return p.workload(s, workload.Annotations)
}

// decode decodes an object to its type. If a field has the wrong type, it returns an error.
func decode(object *krm.Item, into any) error {
	text, err := jsonOf(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func jsonOf(object *krm.Item) ([]byte, error) {
	if err := object.Parse(); err != nil {
		return nil, err
	}
	return object.RNode().MarshalJSON()
}

// workload adds a Job or Pod that runs a step of the phase or the cleanup.
func (p *phase) workload(s *step, annotations map[string]string) error {
	s.phase = v1alpha1.Phase(annotations[contract.PhaseKey])
	if s.phase == "" || p.name != "" && s.phase != p.name {
		return nil
	}
	s.sandbox, s.sandboxID = annotations[contract.SandboxKey], annotations[contract.SandboxIDKey]
	s.resource, s.name = annotations[contract.ResourceKey], annotations[contract.StepKey]
	s.generation = annotations[contract.GenerationKey]
	switch {
	case s.name == "": // a helper that copies outputs to other namespaces or removes them: see run.cleanUp
		return nil
	case contract.CheckSandboxID(s.sandboxID) != nil:
		return fmt.Errorf("annotation %s: %w", contract.SandboxIDKey, contract.CheckSandboxID(s.sandboxID))
	case s.main() == nil:
		return fmt.Errorf("spec.template.spec.containers must have one with the name %q", contract.MainContainer)
	}
	p.steps = append(p.steps, s)
	return s.readPlan()
}

// readPlan reads the plan for the helpers of the Pod.
func (s *step) readPlan() error {
	text := ""
	for _, container := range slices.Concat(s.template.Spec.InitContainers, s.template.Spec.Containers) {
		for _, variable := range container.Env {
			if variable.Name == contract.PlanVariable && container.Name != contract.MainContainer {
				text = expand(variable.Value, nil)
			}
		}
	}
	if text == "" {
		return nil
	}
	s.plan = &contract.Plan{}
	if err := json.Unmarshal([]byte(text), s.plan); err != nil {
		return fmt.Errorf("%s must hold a plan: %w", contract.PlanVariable, err)
	}
	s.output = s.template.Annotations[contract.OutputSecretKey]
	for i, producer := range s.plan.Producers {
		name := s.template.Annotations[contract.InputSecretKey(i)]
		if name == "" {
			return fmt.Errorf("annotation %s must name the Secret of step %q", contract.InputSecretKey(i), producer.Step)
		}
		s.inputs = append(s.inputs, name)
	}
	return nil
}

// producerOf returns the step of this phase that publishes to a Secret, or nil.
func (p *phase) producerOf(secret, namespace string) *step {
	for _, s := range p.steps {
		if s.output == secret && s.namespace == namespace {
			return s
		}
	}
	return nil
}

// label returns the name of a step in messages.
func (s *step) label() string { return strings.TrimPrefix(s.resource+"/"+s.name, "/") }
