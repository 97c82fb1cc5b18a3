package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// copying is a testRequest whose outputs are used in other namespaces, and beside the steps.
func copying() request {
	r := testRequest
	user, credentials, rows := v1alpha1.StepOutput{Name: "provision", Output: "user"},
		v1alpha1.StepOutput{Name: "provision", Output: "credentials"}, v1alpha1.StepOutput{Name: "report", Output: "rows"}
	r.Copies = map[string][]v1alpha1.StepOutput{"web": {user, credentials, user}, "apps": {rows, user}, "databases": {user}}
	return r
}

// decoded returns an object of Kubernetes' own type.
func decoded[T any](t *testing.T, object object) *T {
	t.Helper()
	typed := new(T)
	require.NoError(t, sigsyaml.UnmarshalStrict(object.yaml(nil), typed))
	return typed
}

func ofKind(objects []object, kind string) (some []object) {
	return append(some, slices.DeleteFunc(slices.Clone(objects), func(o object) bool { return o.kind != kind })...)
}

// helperJobs returns the Jobs that run a helper instead of a step.
func helperJobs(t *testing.T, objects []object, helper string) (jobs []*batchv1.Job) {
	t.Helper()
	for _, object := range ofKind(objects, "Job") {
		if job := decoded[batchv1.Job](t, object); job.Labels[contract.HelperKey] == helper {
			jobs = append(jobs, job)
		}
	}
	return jobs
}

func planOf(t *testing.T, job *batchv1.Job) (plan contract.Plan) {
	t.Helper()
	env := job.Spec.Template.Spec.Containers[0].Env
	at := slices.IndexFunc(env, func(v corev1.EnvVar) bool { return v.Name == contract.PlanVariable })
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(env[at].Value, "$$", "$")), &plan))
	return plan
}

// rights returns the permissions that Roles grant a ServiceAccount, as `namespace verb name`, or for a Job as
// `namespace verb job of STEP`.
func rights(t *testing.T, objects []object, account string) (all []string) {
	t.Helper()
	for _, object := range ofKind(objects, "RoleBinding") {
		binding := decoded[rbacv1.RoleBinding](t, object)
		if binding.Subjects[0].Name != account {
			continue
		}
		for _, other := range ofKind(objects, "Role") {
			if other.GetNamespace() == object.GetNamespace() && other.GetName() == binding.RoleRef.Name {
				for _, rule := range decoded[rbacv1.Role](t, other).Rules {
					for _, verb := range rule.Verbs {
						for _, name := range rule.ResourceNames {
							if rule.Resources[0] == "jobs" {
								name = "job of " + stepOfJob(t, objects, name)
							}
							all = append(all, object.GetNamespace()+" "+verb+" "+name)
						}
					}
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// stepOfJob returns the step that a Job of that name runs.
func stepOfJob(t *testing.T, objects []object, name string) string {
	t.Helper()
	for _, object := range ofKind(objects, job) {
		if object.GetName() == name {
			return object.GetLabels()[contract.StepKey]
		}
	}
	require.Fail(t, "no such Job", name)
	return ""
}

func secretOf(step string) string {
	return contract.OutputSecretName(testRequest.SandboxID, testRequest.Resource, step)
}

func TestTheCleanupMayRemoveWhatThereIsAndNothingElse(t *testing.T) {
	t.Parallel()
	objects := rendered(t, read(t, "postgres"), v1alpha1.PhaseDelete, DefaultOptions(), copying())
	jobs := helperJobs(t, objects, contract.HelperCleanup)
	require.Len(t, jobs, 1)
	spec := jobs[0].Spec.Template.Spec
	provision, report, drop, seed, check := secretOf("provision"), secretOf("report"), secretOf("drop"), secretOf("seed"),
		secretOf("check")
	want := []string{
		"apps delete " + provision, "apps delete " + report, "web delete " + provision,
		"databases delete " + provision, "databases delete " + report, "databases delete " + drop, "databases watch " + drop,
		"databases watch job of drop", "databases delete " + seed, "databases delete " + check,
	}
	slices.Sort(want)
	assert.Equal(t, want, rights(t, objects, spec.ServiceAccountName))
	for _, secret := range ofKind(objects, "Secret") {
		assert.Contains(t, want, secret.GetNamespace()+" delete "+secret.GetName(), "everything that is rendered is removed")
	}

	plan := planOf(t, jobs[0])
	require.Len(t, plan.Producers, 5)
	assert.Equal(t, contract.HelperCleanup, plan.Step)
	assert.Equal(t, "drop", plan.Producers[0].Step)
	assert.NotEmpty(t, plan.Producers[0].Generation)
	assert.Equal(t, contract.Producer{Step: "provision", Inputs: []contract.Input{}, Copies: []string{"apps", "web"}}, plan.Producers[1])
	assert.Equal(t, contract.Producer{Step: "report", Inputs: []contract.Input{}, Copies: []string{"apps"}}, plan.Producers[3])
	for i, secret := range []string{drop, provision, seed, report, check} {
		assert.Equal(t, secret, jobs[0].Spec.Template.Annotations[contract.InputSecretKey(i)])
	}
	assert.Equal(t, waitSeconds, plan.WaitSeconds)
	assert.Equal(t, "drop", stepOfJob(t, objects, jobs[0].Spec.Template.Annotations[contract.InputJobKey(0)]))
	assert.NotContains(t, jobs[0].Spec.Template.Annotations, contract.InputJobKey(1), "the Jobs of the create phase may be gone")
	assert.Equal(t, int64(2*(1800+300+90)), *spec.ActiveDeadlineSeconds)
	assert.Equal(t, int64(2*(1800+300+90+600)), *jobs[0].Spec.ActiveDeadlineSeconds)
}

// Pod Security "restricted" accepts the rendered helper jobs.
func TestHelperJobsAreRestricted(t *testing.T) {
	t.Parallel()
	for phase, helper := range map[v1alpha1.Phase]string{
		v1alpha1.PhaseDelete: contract.HelperCleanup, v1alpha1.PhaseCreate: contract.HelperCopy,
	} {
		objects := rendered(t, read(t, "postgres"), phase, changed(func(o *Options) { o.ImagePullSecrets = []string{"registry"} }), copying())
		for _, job := range helperJobs(t, objects, helper) {
			spec := job.Spec.Template.Spec
			require.Len(t, spec.Containers, 1)
			assert.Empty(t, spec.InitContainers)
			assert.Equal(t, []string{contract.HelperBinary, helper}, spec.Containers[0].Command)
			security := spec.Containers[0].SecurityContext
			assert.True(t, *security.RunAsNonRoot)
			assert.False(t, *security.AllowPrivilegeEscalation)
			assert.Equal(t, []corev1.Capability{"ALL"}, security.Capabilities.Drop)
			assert.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, security.SeccompProfile.Type)
			assert.False(t, *spec.AutomountServiceAccountToken)
			for _, volume := range spec.Volumes {
				assert.NotNil(t, volume.Projected, volume.Name)
			}
			assert.False(t, spec.HostNetwork || spec.HostPID || spec.HostIPC)
			assert.Equal(t, map[string]string{"disk": "ssd"}, spec.NodeSelector, "it runs where the steps run")
			assert.Contains(t, spec.ImagePullSecrets, corev1.LocalObjectReference{Name: "registry"})
			assert.Equal(t, "data", job.Spec.Template.Annotations["example.com/team"])
			assert.NotContains(t, job.Labels, contract.StepKey, "it is no step")
		}
	}
}

// Delete steps without outputs publish their stamp: otherwise the cleanup could not tell when they have finished.
func TestTheCleanupWaitsForAllDeleteSteps(t *testing.T) {
	t.Parallel()
	p := read(t, "postgres")
	p.Spec.Delete = append(p.Spec.Delete, v1alpha1.Step{Name: "forget", Script: "#!/bin/sh\n"})
	objects := rendered(t, p, v1alpha1.PhaseDelete, DefaultOptions(), testRequest)
	plan := planOf(t, helperJobs(t, objects, contract.HelperCleanup)[0])
	generations := map[string]string{}
	for _, object := range ofKind(objects, "Job") {
		job := decoded[batchv1.Job](t, object)
		if step := job.Labels[contract.StepKey]; step != "" {
			generations[step] = job.Annotations[contract.GenerationKey]
			require.Len(t, job.Spec.Template.Spec.Containers, 2, "main and the output manager")
			assert.Equal(t, secretOf(step), job.Spec.Template.Annotations[contract.OutputSecretKey])
			assert.Contains(t, rights(t, objects, job.Spec.Template.Spec.ServiceAccountName), "databases patch "+secretOf(step))
		}
	}
	require.Len(t, generations, 2)
	for _, producer := range plan.Producers[:2] {
		assert.Equal(t, generations[producer.Step], producer.Generation, producer.Step)
	}
}

// Where steps leave no Secret there is nothing to clean up, and delete steps stay bare.
func TestNoCleanupWithoutSecrets(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"hello", "files"} {
		p := read(t, folder)
		for i := range p.Spec.Create {
			p.Spec.Create[i].Outputs = nil
		}
		objects := rendered(t, p, v1alpha1.PhaseDelete, DefaultOptions(), testRequest)
		assert.Empty(t, helperJobs(t, objects, contract.HelperCleanup), folder)
		assert.Empty(t, ofKind(objects, "Secret"), folder)
	}
}

// A plugin that has nothing to do at the end still has its Secrets removed.
func TestCleanupWithoutADeletePhase(t *testing.T) {
	t.Parallel()
	p := read(t, "postgres")
	p.Spec.Delete = nil
	objects := rendered(t, p, v1alpha1.PhaseDelete, DefaultOptions(), testRequest)
	jobs := helperJobs(t, objects, contract.HelperCleanup)
	require.Len(t, jobs, 1)
	assert.Len(t, ofKind(objects, "Job"), 1)
	assert.Len(t, ofKind(objects, "Secret"), 4)
	for _, right := range rights(t, objects, jobs[0].Spec.Template.Spec.ServiceAccountName) {
		assert.NotContains(t, right, "watch")
	}
}

// A user's step may be called as our helper is.
func TestAStepCalledCleanup(t *testing.T) {
	t.Parallel()
	p := read(t, "postgres")
	p.Spec.Delete[0].Name = "cleanup"
	seen := map[string]bool{}
	for _, object := range rendered(t, p, v1alpha1.PhaseDelete, DefaultOptions(), copying()) {
		checkObject(t, object)
		key := object.kind + " " + object.GetNamespace() + " " + object.GetName()
		assert.False(t, seen[key], key)
		seen[key] = true
	}
}

func TestMoreSecretsThanACleanupCanName(t *testing.T) {
	t.Parallel()
	p := parse(t, valid)
	p.Spec.Create, p.Spec.Delete = nil, []v1alpha1.Step{{Name: "drop"}}
	for i := range contract.MaxSecrets - 1 {
		p.Spec.Create = append(p.Spec.Create,
			v1alpha1.Step{Name: fmt.Sprintf("s%d", i), Outputs: []v1alpha1.Output{{Name: "o", ValueFromPath: "/o"}}})
	}
	for _, object := range rendered(t, p, v1alpha1.PhaseDelete, DefaultOptions(), testRequest) {
		checkObject(t, object)
	}
	p.Spec.Delete = append(p.Spec.Delete, v1alpha1.Step{Name: "last"})
	for _, phase := range v1alpha1.Phases {
		compiled, problems := compile(p, phase, DefaultOptions(), variant{})
		require.Nil(t, compiled, "what cannot be removed must not be created")
		require.Len(t, problems, 1)
		assert.Contains(t, problems[0].Message, "must have at most 32 delete steps and create steps with outputs")
	}
}

func TestTimeToLive(t *testing.T) {
	t.Parallel()
	for _, ttl := range []int{0, 3600} {
		objects := rendered(t, read(t, "postgres"), v1alpha1.PhaseDelete, changed(func(o *Options) { o.TTLSecondsAfterFinished = ttl }), copying())
		for _, object := range ofKind(objects, "Job") {
			assert.Equal(t, int32(ttl), *decoded[batchv1.Job](t, object).Spec.TTLSecondsAfterFinished)
		}
	}
}

// A cleanup that has enough to remove leaves steps that only read as they are: they have no Secret then.
func TestReadersAreRecordedUpToALimit(t *testing.T) {
	t.Parallel()
	for readers, secrets := range map[int]int{contract.MaxSecrets - 1: contract.MaxSecrets, contract.MaxSecrets: 1} {
		p := parse(t, valid)
		p.Spec.Delete = nil
		p.Spec.Create = []v1alpha1.Step{{Name: "make", Outputs: []v1alpha1.Output{{Name: "o", ValueFromPath: "/o"}}}, {Name: "plain"}}
		for i := range readers {
			p.Spec.Create = append(p.Spec.Create, v1alpha1.Step{Name: fmt.Sprintf("r%d", i), Inputs: []v1alpha1.Input{
				{Name: "o", ValueFromStep: &v1alpha1.StepOutput{Name: "make", Output: "o"}},
			}})
		}
		for _, phase := range v1alpha1.Phases {
			assert.Len(t, ofKind(rendered(t, p, phase, DefaultOptions(), testRequest), "Secret"), secrets, "%s %d", phase, readers)
		}
	}
}
