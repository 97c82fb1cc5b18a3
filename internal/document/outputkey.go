package document

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// OutputsOf returns the outputs of a plugin's create phase that an outputKey can refer to: the one that
// `<step>.<output>` names, or none if it does not exist. A key without a dot, an old form that is still in use, names
// no step: it can refer to the output of that name of each step.
func OutputsOf(spec *v1alpha1.ResourcePluginSpec, outputKey string) []v1alpha1.StepOutput {
	step, name, dotted := strings.Cut(outputKey, ".")
	if !dotted {
		name = outputKey
	}
	var found []v1alpha1.StepOutput
	for i := range spec.Create {
		if dotted && spec.Create[i].Name != step {
			continue
		}
		for _, output := range spec.Create[i].Outputs {
			if output.Name == name {
				found = append(found, v1alpha1.StepOutput{Name: spec.Create[i].Name, Output: name})
				break
			}
		}
	}
	return found
}

// OutputIndex finds the outputs of a plugin as OutputsOf does: build one for many keys.
type OutputIndex struct {
	exact  map[v1alpha1.StepOutput][]v1alpha1.StepOutput
	byName map[string][]v1alpha1.StepOutput
}

// NewOutputIndex returns the index of a plugin.
func NewOutputIndex(spec *v1alpha1.ResourcePluginSpec) *OutputIndex {
	x := &OutputIndex{map[v1alpha1.StepOutput][]v1alpha1.StepOutput{}, map[string][]v1alpha1.StepOutput{}}
	for i := range spec.Create {
		seen := make(map[string]bool, len(spec.Create[i].Outputs))
		for _, output := range spec.Create[i].Outputs {
			if seen[output.Name] {
				continue
			}
			seen[output.Name] = true
			one := v1alpha1.StepOutput{Name: spec.Create[i].Name, Output: output.Name}
			x.exact[one], x.byName[output.Name] = append(x.exact[one], one), append(x.byName[output.Name], one)
		}
	}
	return x
}

// Of returns the outputs that an outputKey can refer to.
func (x *OutputIndex) Of(outputKey string) []v1alpha1.StepOutput {
	if step, name, dotted := strings.Cut(outputKey, "."); dotted {
		return x.exact[v1alpha1.StepOutput{Name: step, Output: name}]
	}
	return x.byName[outputKey]
}

// NamesNoStep returns the message for an outputKey without a dot. outputs are those that it can refer to, none if the
// plugin is not known.
func NamesNoStep(outputKey string, outputs []v1alpha1.StepOutput) string {
	meant := fmt.Sprintf("<step>.<output> such as %q", "provision.host")
	keys := make([]string, len(outputs))
	for i, output := range outputs {
		keys[i] = strconv.Quote(output.Key())
	}
	if len(keys) > 0 {
		meant = strings.Join(keys, " or ")
	}
	return fmt.Sprintf("must be %s: %q names no step", meant, outputKey)
}
