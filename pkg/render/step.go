package render

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// step is a step of either phase, with the parts that are the same for all resources.
type step struct {
	ref  document.StepRef
	spec *v1alpha1.Step
	// producers are the steps whose outputs it reads, those of the other phase included.
	producers []*step
	// hash covers the parts that define its generation, except for the sandbox, the params and the producers.
	hash string
	// template is the Pod template, of steps of the compiled phase.
	template *corev1.PodTemplateSpec
	// depth is how many steps of its phase run one after the other until it is done.
	depth int
	// isRecorded is set if the step publishes a stamp even without outputs: the cleanup waits for the stamp of a delete
	// step, and the stamp of a create step records that it has run, and the inputs it has read.
	isRecorded bool
}

// newStep returns a step whose producers are in the phase.
func (c *compiledPhase) newStep(spec *v1alpha1.ResourcePluginSpec, ref document.StepRef) *step {
	s := &step{ref: ref, spec: &spec.Workflow(ref.Phase)[ref.Index]}
	isFirst := true // of the steps of its phase
	for _, producer := range c.graph.Producers(ref) {
		s.producers = append(s.producers, c.steps[producer])
		isFirst = isFirst && producer.Phase != ref.Phase
	}
	if c.awaitsForks && isFirst && ref.Phase == v1alpha1.PhaseDelete {
		s.producers = append(s.producers, c.steps[forksRef])
	}
	s.isRecorded = c.cleansUp && ref.Phase == v1alpha1.PhaseDelete || ref.Phase == v1alpha1.PhaseCreate &&
		(c.recorded == allSteps || c.recorded == readers && len(s.producers) > 0)
	hashed := append(make([]string, 0, 4+6*len(s.spec.Inputs)+3*len(s.spec.Outputs)),
		spec.Runner.Image, string(c.overlay.Canonical), s.spec.Name, s.spec.Script)
	for i := range s.spec.Inputs {
		input := &s.spec.Inputs[i]
		from := v1alpha1.StepOutput{}
		if input.ValueFromStep != nil {
			from = *input.ValueFromStep
		}
		hashed = append(hashed, "input", input.Name, from.Name, from.Output, input.Env(), input.Path())
	}
	for _, output := range s.spec.Outputs {
		hashed = append(hashed, "output", output.Name, output.ValueFromPath)
	}
	s.hash = contract.Hash(hashed...)
	return s
}

// ancestors returns the steps that producers wait for, directly or not, and that are not producers themselves. They are
// those of the compiled phase, and so few that a Pod can be told of all.
func (c *compiledPhase) ancestors(producers []*step) (found []*step) {
	for queue := slices.Clone(producers); len(queue) > 0; queue = queue[1:] {
		for _, s := range queue[0].producers {
			if s.ref.Phase == c.phase && !slices.Contains(producers, s) && !slices.Contains(found, s) {
				found, queue = append(found, s), append(queue, s)
			}
		}
	}
	return found[:min(len(found), contract.MaxSecrets-len(producers))]
}

// isPlain reports whether nothing of ours is needed inside the Pod: no data flows in or out.
func (s *step) isPlain() bool { return len(s.producers) == 0 && !s.publishes() }

// label is the name of the step in metadata.
func (s *step) label() string {
	if s.isOfForks() {
		return contract.HelperForks
	}
	return s.spec.Name
}

func (s *step) publishes() bool { return s.isRecorded || len(s.spec.Outputs) > 0 }

// needsParamFiles reports whether an input reads a param as a file.
func (s *step) needsParamFiles() bool {
	for i := range s.spec.Inputs {
		input := &s.spec.Inputs[i]
		if input.ValueFromSandbox && input.Path() != "" {
			return true
		}
	}
	return false
}

// variables returns the names of the variables that the step sets.
func (s *step) variables() map[string]bool {
	names := map[string]bool{}
	for _, name := range contract.StepVariables() {
		names[name] = true
	}
	for i := range s.spec.Inputs {
		names[s.spec.Inputs[i].Env()] = true
	}
	return names
}

// command returns the command of main: the script itself, which is an executable file. One that names no interpreter
// runs under the shell; the runner of steps with data flow does that itself.
func (s *step) command() []string {
	switch {
	case !s.isPlain():
		return []string{contract.RunnerFile, contract.ScriptFile}
	case strings.HasPrefix(s.spec.Script, "#!"):
		return []string{contract.ScriptFile}
	default:
		return []string{"/bin/sh", contract.ScriptFile}
	}
}
