package status

import (
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// Pictures returns a picture for each resource, with the state of each step. Inputs and outputs come from the plan in the
// Pod of the step; if the step has no Job any more, only outputs that other steps read are known.
func (r *Report) Pictures() ([]*diagram.Picture, error) {
	var pictures []*diagram.Picture
	for start := 0; start < len(r.Steps); {
		first, end := &r.Steps[start], start
		for end < len(r.Steps) && r.Steps[end].Sandbox == first.Sandbox && r.Steps[end].Resource == first.Resource {
			end++
		}
		d := drawing{steps: map[string]*v1alpha1.Step{}, marks: map[string]diagram.Mark{}, waits: map[string]bool{}}
		for i := start; i < end; i++ {
			d.add(&r.Steps[i])
		}
		title := first.Sandbox + "/" + first.Resource
		picture, err := d.picture(title)
		if err != nil {
			return nil, fmt.Errorf("draw %s: %w", title, err)
		}
		pictures = append(pictures, picture)
		start = end
	}
	return pictures, nil
}

// drawing is a plugin, reconstructed from its Jobs.
type drawing struct {
	create, remove []*v1alpha1.Step
	steps          map[string]*v1alpha1.Step
	marks          map[string]diagram.Mark
	waits          map[string]bool // steps that wait for others
}

// step returns the step with a name; a new step is added to the phase.
func (d *drawing) step(name, phase string) *v1alpha1.Step {
	if d.steps[name] == nil {
		d.steps[name] = &v1alpha1.Step{Name: name}
		if phase == string(v1alpha1.PhaseDelete) {
			d.remove = append(d.remove, d.steps[name])
		} else {
			d.create = append(d.create, d.steps[name])
		}
	}
	return d.steps[name]
}

func (d *drawing) add(s *Step) {
	name := s.name()
	if s.Helper != "" {
		if to := s.task.copyTo(); to != "" {
			name += " to " + to
		}
		name += " (helper)"
	}
	step := d.step(name, s.Phase)
	if mark, marked := d.marks[name]; !marked || slices.Index(states, s.State) < slices.Index(states, State(mark)) {
		d.marks[name], d.waits[name] = diagram.Mark(s.State), len(s.WaitsFor) > 0
	}
	var plan contract.Plan // empty if nothing is known of the step
	if s.task != nil {
		plan = s.task.Plan
	}
	for _, producer := range plan.Producers {
		phase := s.Phase
		if producer.Generation == "" {
			phase = string(v1alpha1.PhaseCreate)
		}
		for _, input := range producer.Inputs {
			addOutput(d.step(producer.Step, phase), input.Output)
			step.Inputs = append(step.Inputs, v1alpha1.Input{
				Name: input.Output, ValueFromStep: &v1alpha1.StepOutput{Name: producer.Step, Output: input.Output},
			})
		}
	}
	for _, output := range plan.Outputs {
		addOutput(step, output.Name)
	}
}

func addOutput(step *v1alpha1.Step, name string) {
	if !slices.ContainsFunc(step.Outputs, func(o v1alpha1.Output) bool { return o.Name == name }) {
		step.Outputs = append(step.Outputs, v1alpha1.Output{Name: name})
	}
}

func (d *drawing) picture(title string) (*diagram.Picture, error) {
	plugin := &document.Plugin{Name: title}
	for _, step := range d.create {
		plugin.Spec.Create = append(plugin.Spec.Create, *step)
	}
	for _, step := range d.remove {
		plugin.Spec.Delete = append(plugin.Spec.Delete, *step)
	}
	marks := maps.Clone(d.marks)
	for name, waits := range d.waits {
		if waits && marks[name] == diagram.InProgress { // behind a failed step, it may never be in progress
			marks[name] = diagram.Waits
		}
	}
	picture, problems := diagram.NewMarked(plugin, marks)
	if len(problems) > 0 {
		return nil, fmt.Errorf("%s: %s", problems[0].Path, problems[0].Message)
	}
	return picture, nil
}
