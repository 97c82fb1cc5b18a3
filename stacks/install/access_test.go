package install

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	psa "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// right is a permission on one object: verb, API group, resource, namespace, name. The name of a list is *.
type right [5]string

// decoded are the items of a kind, decoded.
func decoded[T any](t *testing.T, objects []*krm.Item, kind string) (all []T) {
	t.Helper()
	for _, item := range objects {
		if item.Kind() != kind {
			continue
		}
		text, err := item.Bytes()
		require.NoError(t, err)
		var one T
		require.NoError(t, yaml.UnmarshalStrict(text, &one))
		all = append(all, one)
	}
	return all
}

// granted are the rights of a ServiceAccount.
func granted(t *testing.T, objects []*krm.Item, account, namespace string) map[right]bool {
	t.Helper()
	rights := map[right]bool{}
	add := func(in string, rules []rbacv1.PolicyRule) {
		for i := range rules {
			rule := &rules[i]
			names := rule.ResourceNames
			if len(names) == 0 {
				assert.Equal(t, []string{"list"}, rule.Verbs, "only list has no name")
				names = []string{"*"}
			}
			for _, verb := range rule.Verbs {
				for _, group := range rule.APIGroups {
					for _, resource := range rule.Resources {
						for _, name := range names {
							rights[right{verb, group, resource, in, name}] = true
						}
					}
				}
			}
		}
	}
	bound := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account, Namespace: namespace}}
	for _, binding := range decoded[rbacv1.RoleBinding](t, objects, "RoleBinding") {
		for _, role := range decoded[rbacv1.Role](t, objects, "Role") {
			if role.Name == binding.RoleRef.Name && role.Namespace == binding.Namespace && slices.Equal(bound, binding.Subjects) {
				add(role.Namespace, role.Rules)
			}
		}
	}
	for _, binding := range decoded[rbacv1.ClusterRoleBinding](t, objects, "ClusterRoleBinding") {
		for _, role := range decoded[rbacv1.ClusterRole](t, objects, "ClusterRole") {
			if role.Name == binding.RoleRef.Name && slices.Equal(bound, binding.Subjects) {
				add("", role.Rules)
			}
		}
	}
	return rights
}

// needed are the rights that the manager's requests need.
func needed(job *batchv1.Job, i unpacking.Installation) map[right]bool {
	rights := map[right]bool{}
	command := job.Spec.Template.Spec.Containers[0].Command[1]
	for _, object := range i.Objects {
		namespace := ""
		if object.IsNamespaced {
			namespace = job.Namespace
		}
		group, _, found := strings.Cut(object.APIVersion, "/")
		if !found {
			group = ""
		}
		for _, verb := range map[string][]string{
			unpacking.Apply + "Role": {"create", "patch", "bind", "escalate"}, unpacking.Delete: {"delete"},
			unpacking.Apply + "CRD": {"create", "patch", "watch"}, unpacking.Apply: {"create", "patch"},
		}[command+map[string]string{"Role": "Role", "ClusterRole": "Role", crd: "CRD"}[kindFor2(command, object.Kind)]] {
			rights[right{verb, group, object.Resource, namespace, object.Name}] = true
		}
	}
	for _, name := range i.Requires {
		rights[right{"watch", "apiextensions.k8s.io", "customresourcedefinitions", "", name}] = true
	}
	for _, one := range i.Custom {
		rights[right{"list", one.Group, one.Plural, "", "*"}] = true
	}
	return rights
}

// kindFor2 is the kind of an object that is applied; deletions are all alike.
func kindFor2(command, kind string) string {
	if command == unpacking.Delete {
		return ""
	}
	return kind
}

// installationOf returns the input of a Job's manager, after Kubernetes has replaced $$ with $.
func installationOf(t *testing.T, job *batchv1.Job) (i unpacking.Installation) {
	t.Helper()
	for _, variable := range job.Spec.Template.Spec.Containers[0].Env {
		if variable.Name == unpacking.InstallationVariable {
			require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(variable.Value, "$$", "$")), &i))
		}
	}
	return i
}

// checkJobs checks that each Job has exactly the rights that it needs, a token only in the container that works on the
// cluster, and a Pod that every namespace admits.
func checkJobs(t *testing.T, objects []*krm.Item) {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	require.NoError(t, err)
	level := psa.LevelVersion{Level: psa.LevelRestricted, Version: psa.LatestVersion()}
	for _, job := range decoded[batchv1.Job](t, objects, "Job") {
		pod := &job.Spec.Template.Spec
		assert.Equal(t, needed(&job, installationOf(t, &job)), granted(t, objects, pod.ServiceAccountName, job.Namespace), job.Name)
		found := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &job.Spec.Template.ObjectMeta, pod))
		assert.True(t, found.Allowed, found.ForbiddenDetail())
		assert.False(t, *pod.AutomountServiceAccountToken)
		for _, container := range pod.InitContainers {
			for _, mount := range container.VolumeMounts {
				assert.NotEqual(t, contract.TokenMountPath, mount.MountPath, container.Name)
			}
			assert.NotEmpty(t, container.Resources.Limits)
		}
		assert.Positive(t, *pod.ActiveDeadlineSeconds)
	}
}

func TestRender_jobsMayDoWhatTheyDo(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"create", "delete"} {
		list := listOf(t, file(t, "packages.yaml"), file(t, "request.yaml"))
		summary := rendered(t, list, func(o *render.Options) { o.Phases = []string{phase} })
		require.NotEmpty(t, decoded[batchv1.Job](t, summary.Objects, "Job"))
		checkJobs(t, summary.Objects)
	}
}
