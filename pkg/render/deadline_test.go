package render

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// A deadline grows with the steps that run one after the other, and that of a Job with its retries.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	options := DefaultOptions()
	options.StepTimeoutSeconds, options.StartTimeoutSeconds = 100, 10
	for _, test := range []struct {
		name               string
		retries, steps     int
		podLimit, jobLimit int64
	}{
		{"one step", 0, 1, 200, 800},
		{"three steps", 0, 3, 600, 2400},
		{"three steps with two retries", 2, 3, 600, 7200},
		{"more than Kubernetes takes", math.MaxInt32, 1, 200, math.MaxInt32},
	} {
		options.Retries = test.retries
		compiled, _ := compile(read(t, "postgres"), v1alpha1.PhaseCreate, options, variant{})
		assert.Equal(t, test.podLimit, compiled.podDeadline(test.steps), test.name)
		assert.Equal(t, test.jobLimit, compiled.jobDeadline(test.steps), test.name)
	}
}

// waitCodes returns the containers whose exit code contract.ExitWaited a Job ignores.
func waitCodes(job *batchv1.Job) (containers []string) {
	for _, rule := range job.Spec.PodFailurePolicy.Rules {
		if rule.OnExitCodes != nil && rule.Action == batchv1.PodFailurePolicyActionIgnore {
			containers = append(containers, *rule.OnExitCodes.ContainerName)
		}
	}
	return containers
}

// A Pod that waits for others gives its place back, and its Job takes that for no failure. Without a Job it waits on.
func TestOnlyJobsWaitForALimitedTime(t *testing.T) {
	t.Parallel()
	objects := rendered(t, read(t, "postgres"), v1alpha1.PhaseCreate, DefaultOptions(), copying())
	waiting := map[string][]string{}
	for _, object := range ofKind(objects, job) {
		one := decoded[batchv1.Job](t, object)
		waiting[one.Labels[contract.StepKey]+one.Labels[contract.HelperKey]] = waitCodes(one)
	}
	inputs := []string{contract.InputManager}
	assert.Equal(t, map[string][]string{
		"provision": nil, "report": inputs, "seed": inputs, "check": inputs, "copy": {"copy"},
	}, waiting)

	for _, object := range ofKind(rendered(t, read(t, "postgres"), v1alpha1.PhaseCreate,
		changed(func(o *Options) { o.Workload = pod }), copying()), pod) {
		one := decoded[corev1.Pod](t, object)
		for _, container := range one.Spec.InitContainers {
			for _, variable := range container.Env {
				assert.NotContains(t, variable.Value, "waitSeconds")
				assert.NotContains(t, variable.Name, "INPUT_JOB")
			}
		}
	}
}

// Every script gets the variables that no input and no overlay can set.
func TestStepVariables(t *testing.T) {
	t.Parallel()
	objects := rendered(t, read(t, "hello"), v1alpha1.PhaseCreate, DefaultOptions(), testRequest)
	var names []string
	for _, variable := range decoded[batchv1.Job](t, objects[1]).Spec.Template.Spec.Containers[0].Env {
		names = append(names, variable.Name)
	}
	assert.Equal(t, append(contract.StepVariables(), "DBNAME"), names)
}

// A Pod is told of the Jobs that its producers wait for, and the account may follow them.
func TestAncestors(t *testing.T) {
	t.Parallel()
	p := parse(t, valid)
	p.Spec.Create = nil
	for i, reads := range [][]string{nil, {"s0"}, {"s1"}, {"s2", "s0"}} {
		one := v1alpha1.Step{Name: "s" + strconv.Itoa(i), Outputs: []v1alpha1.Output{{Name: "o", ValueFromPath: "/o"}}}
		for _, from := range reads {
			one.Inputs = append(one.Inputs, v1alpha1.Input{Name: from, ValueFromStep: &v1alpha1.StepOutput{Name: from, Output: "o"}})
		}
		p.Spec.Create = append(p.Spec.Create, one)
	}
	objects := rendered(t, p, v1alpha1.PhaseCreate, DefaultOptions(), testRequest)
	follows := map[string][]string{}
	for _, object := range ofKind(objects, job) {
		one := decoded[batchv1.Job](t, object)
		step := one.Labels[contract.StepKey]
		for i := range contract.MaxSecrets {
			if name := one.Spec.Template.Annotations[contract.InputJobKey(i)]; name != "" {
				follows[step] = append(follows[step], stepOfJob(t, objects, name))
			}
		}
		for _, container := range one.Spec.Template.Spec.InitContainers {
			assert.Len(t, slices.DeleteFunc(slices.Clone(container.Env), func(v corev1.EnvVar) bool {
				return !strings.HasPrefix(v.Name, strings.TrimSuffix(contract.InputJobVariable(0), "0"))
			}), len(follows[step]), "variables of %s", step)
		}
	}
	assert.Equal(t, map[string][]string{"s1": {"s0"}, "s2": {"s1", "s0"}, "s3": {"s2", "s0", "s1"}}, follows)
}

// One account serves the helpers of all steps of a phase. It may follow the producers, and write the Secrets of the
// steps.
func TestStepsShareAnAccount(t *testing.T) {
	t.Parallel()
	objects := rendered(t, read(t, "postgres"), v1alpha1.PhaseCreate, DefaultOptions(), testRequest)
	accounts := map[string]bool{}
	for _, object := range ofKind(objects, job) {
		accounts[decoded[batchv1.Job](t, object).Spec.Template.Spec.ServiceAccountName] = true
	}
	require.Len(t, accounts, 1)
	for account := range accounts {
		provision, report := secretOf("provision"), secretOf("report")
		assert.ElementsMatch(t, []string{
			"databases watch " + provision, "databases watch job of provision", "databases patch " + provision,
			"databases watch " + report, "databases watch job of report", "databases patch " + report,
			"databases patch " + secretOf("seed"), "databases patch " + secretOf("check"),
		}, rights(t, objects, account))
	}
	assert.Len(t, ofKind(objects, "Role"), 1)
	assert.Len(t, ofKind(objects, "RoleBinding"), 1)
}
