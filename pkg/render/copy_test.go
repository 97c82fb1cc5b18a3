package render

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// used is a testRequest of which workloads of a namespace use an output.
func used(namespace, step, output string) request {
	r := testRequest
	r.Copies = map[string][]v1alpha1.StepOutput{namespace: {{Name: step, Output: output}}}
	return r
}

func TestCopiesAreOfWhatIsUsed(t *testing.T) {
	t.Parallel()
	objects := rendered(t, read(t, "postgres"), v1alpha1.PhaseCreate, DefaultOptions(), copying())
	jobs := helperJobs(t, objects, contract.HelperCopy)
	require.Len(t, jobs, 2, "workloads beside the steps read the originals")
	provision, report := secretOf("provision"), secretOf("report")
	for i, want := range []struct {
		namespace string
		rights    []string
		inputs    [][]contract.Input
	}{
		{"apps", []string{"apps patch " + provision, "apps patch " + report, "databases watch job of provision",
			"databases watch job of report", "databases watch " + provision, "databases watch " + report}, [][]contract.Input{{{Output: "user", Workloads: true}}, {{Output: "rows", Workloads: true}}}},
		{"web", []string{"databases watch job of provision", "databases watch " + provision, "web patch " + provision},
			[][]contract.Input{{{Output: "user", Workloads: true}, {Output: "credentials", Workloads: true}}}},
	} {
		assert.Equal(t, "databases", jobs[i].Namespace, "it runs where the steps run")
		assert.Equal(t, want.rights, rights(t, objects, jobs[i].Spec.Template.Spec.ServiceAccountName))
		plan := planOf(t, jobs[i])
		require.Len(t, plan.Producers, len(want.inputs))
		for n, producer := range plan.Producers {
			assert.Equal(t, want.inputs[n], producer.Inputs)
			assert.Equal(t, []string{want.namespace}, producer.Copies)
			assert.NotEmpty(t, producer.Generation, "outputs of an older run are not copied")
		}
	}
	var places []string
	for _, secret := range ofKind(objects, "Secret") {
		checkObject(t, secret)
		places = append(places, secret.GetNamespace()+"/"+secret.GetName())
	}
	assert.ElementsMatch(t, []string{
		"databases/" + provision, "apps/" + provision, "web/" + provision, "databases/" + report, "apps/" + report,
		"databases/" + secretOf("seed"), "databases/" + secretOf("check"),
	}, places)
}

// Another namespace adds objects and changes none that were there, so that nothing runs again.
func TestAnotherNamespaceChangesNothing(t *testing.T) {
	t.Parallel()
	p := read(t, "postgres")
	r := testRequest
	r.Copies = map[string][]v1alpha1.StepOutput{}
	before := map[string]bool{}
	for _, o := range rendered(t, p, v1alpha1.PhaseCreate, DefaultOptions(), r) {
		before[string(printed([]object{o}))] = true
	}
	for i, namespace := range []string{"web", "apps", "jobs"} {
		r.Copies[namespace] = []v1alpha1.StepOutput{{Name: "provision", Output: "user"}}
		after := map[string]bool{}
		for _, o := range rendered(t, p, v1alpha1.PhaseCreate, DefaultOptions(), r) {
			after[string(printed([]object{o}))] = true
		}
		for object := range before {
			assert.True(t, after[object], object)
		}
		// A Secret, an account, two Roles with their bindings and a Job.
		assert.Len(t, after, len(before)+7, i)
		before = after
	}
}

// The order in which forks are declared reaches nothing.
func TestCopiesAreSorted(t *testing.T) {
	t.Parallel()
	for _, phase := range v1alpha1.Phases {
		r := copying()
		want := printed(rendered(t, read(t, "postgres"), phase, DefaultOptions(), r))
		for _, outputs := range r.Copies {
			slices.Reverse(outputs)
		}
		assert.Equal(t, string(want), string(printed(rendered(t, read(t, "postgres"), phase, DefaultOptions(), r))))
	}
}

// The values that one Pod copies must fit into its memory.
func TestManyCopiesAreSharedOut(t *testing.T) {
	t.Parallel()
	p := parse(t, valid)
	p.Spec.Create = nil
	r := testRequest
	r.Copies = map[string][]v1alpha1.StepOutput{}
	for i := range contract.MaxProducers + 1 {
		name := fmt.Sprintf("s%d", i)
		p.Spec.Create = append(p.Spec.Create, v1alpha1.Step{Name: name, Outputs: []v1alpha1.Output{{Name: "o", ValueFromPath: "/o"}}})
		r.Copies["web"] = append(r.Copies["web"], v1alpha1.StepOutput{Name: name, Output: "o"})
	}
	objects := rendered(t, p, v1alpha1.PhaseCreate, DefaultOptions(), r)
	jobs := helperJobs(t, objects, contract.HelperCopy)
	require.Len(t, jobs, 2)
	assert.Len(t, planOf(t, jobs[0]).Producers, contract.MaxProducers)
	assert.Len(t, planOf(t, jobs[1]).Producers, 1)
	assert.NotEqual(t, jobs[0].Spec.Template.Spec.ServiceAccountName, jobs[1].Spec.Template.Spec.ServiceAccountName)
	for _, object := range objects {
		checkObject(t, object)
	}
}
