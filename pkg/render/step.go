package render

import (
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// step is a step of either phase with what is known of it before a resource asks for it.
type step struct {
	ref  document.StepRef
	spec *v1alpha1.Step
	// producers are the steps whose outputs it reads, those of the other phase included.
	producers []document.Producer
	// facts is the hash of what its generation is made from, but for the sandbox, the params and the producers.
	facts string
	// template is the Pod template, of steps of the blueprint's phase.
	template manifest.Map
	// depth is how many steps of its phase run one after the other until it is through.
	depth int
	// awaited tells that the cleanup waits for the step's stamp, so that it publishes one even without outputs.
	awaited bool
}

func (b *Blueprint) newStep(spec *v1alpha1.ResourcePluginSpec, ref document.StepRef) *step {
	s := &step{ref: ref, spec: &spec.Workflow(ref.Phase)[ref.Index], producers: b.graph.Producers(ref)}
	s.awaited = b.cleansUp && ref.Phase == v1alpha1.PhaseDelete
	hashed := append(make([]string, 0, 4+6*len(s.spec.Inputs)+3*len(s.spec.Outputs)),
		spec.Runner.Image, string(manifest.AppendJSON(nil, b.overlay.Template)), s.spec.Name, s.spec.Script)
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
	s.facts = contract.Hash(hashed...)
	return s
}

// bare tells whether nothing of ours is needed inside the Pod.
func (s *step) bare() bool { return len(s.producers) == 0 && !s.publishes() }

func (s *step) publishes() bool { return s.awaited || len(s.spec.Outputs) > 0 }

// needsParamFiles tells whether an input reads a param as a file.
func (s *step) needsParamFiles() bool {
	for i := range s.spec.Inputs {
		input := &s.spec.Inputs[i]
		if input.ValueFromSandbox && input.Path() != "" {
			return true
		}
	}
	return false
}

// command is what main runs: the script itself, which is an executable file. One that names no interpreter runs under
// the shell; the runner of steps with data flow sees to that itself.
func (s *step) command() manifest.List {
	switch {
	case !s.bare():
		return manifest.Strings(contract.RunnerFile, contract.ScriptFile)
	case strings.HasPrefix(s.spec.Script, "#!"):
		return manifest.Strings(contract.ScriptFile)
	default:
		return manifest.Strings("/bin/sh", contract.ScriptFile)
	}
}

// waitsFor returns the names of the steps that it waits for.
func (b *Blueprint) waitsFor(s *step) []string {
	names := make([]string, len(s.producers))
	for i, producer := range s.producers {
		names[i] = b.steps[producer.Step].spec.Name
	}
	return names
}
