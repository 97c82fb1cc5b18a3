package render

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Steps without outputs have a Secret if the plugin needs helpers anyway, and if the cleanup can remove all of them.
func TestRecordedSteps(t *testing.T) {
	t.Parallel()
	output := v1alpha1.Output{Name: "o", ValueFromPath: "/tmp/o"}
	reading := v1alpha1.Input{Name: "o", ValueFromStep: &v1alpha1.StepOutput{Name: "make", Output: "o"}}
	for name, c := range map[string]struct {
		outputs                 bool
		reading, plain, deletes int
		want                    recorded
	}{
		"no outputs":                    {plain: 3, deletes: 1, want: noSteps},
		"outputs":                       {outputs: true, plain: 3, reading: 2, deletes: 1, want: allSteps},
		"as many as there can be":       {outputs: true, plain: 10, reading: 10, deletes: 11, want: allSteps},
		"too many":                      {outputs: true, plain: 11, reading: 10, deletes: 11, want: readers},
		"too many that read":            {outputs: true, plain: 1, reading: 21, deletes: 11, want: noSteps},
		"outputs of the delete phase":   {plain: 1, deletes: 1, want: noSteps},
		"only steps that have outputs":  {outputs: true, want: allSteps},
		"a delete phase without limits": {outputs: true, plain: 1, deletes: 31, want: readers},
	} {
		spec := &v1alpha1.ResourcePluginSpec{}
		if c.outputs {
			spec.Create = append(spec.Create, v1alpha1.Step{Name: "make", Outputs: []v1alpha1.Output{output}})
		}
		for i := range c.reading {
			spec.Create = append(spec.Create, v1alpha1.Step{Name: fmt.Sprint("r", i), Inputs: []v1alpha1.Input{reading}})
		}
		for i := range c.plain {
			spec.Create = append(spec.Create, v1alpha1.Step{Name: fmt.Sprint("p", i)})
		}
		for i := range c.deletes {
			spec.Delete = append(spec.Delete, v1alpha1.Step{Name: fmt.Sprint("d", i)})
		}
		assert.Equal(t, c.want, recordedSteps(spec, false), name)
	}
	assert.Equal(t, 32, contract.MaxSecrets)
}
