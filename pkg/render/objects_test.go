package render

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// changed returns the default options with a change.
func changed(change func(*Options)) Options {
	options := DefaultOptions()
	change(&options)
	return options
}

// rendered runs a compiled that must work.
func rendered(
	tb testing.TB, p *document.Plugin, phase v1alpha1.Phase, options Options, r request,
) []object {
	tb.Helper()
	compiled, problems := compile(p, phase, options, variant{})
	require.NotNil(tb, compiled, "%v", problems)
	objects, problems := compiled.render(&r)
	require.Empty(tb, problems)
	return append(compiled.scripts, objects...)
}

var folders = []string{"hello", "postgres", "files"}

// The API server's strict decoder accepts all rendered objects, with their names, labels and annotations.
func TestObjectsAreValidInKubernetes(t *testing.T) {
	t.Parallel()
	for _, folder := range folders {
		for _, phase := range v1alpha1.Phases {
			for _, workload := range []string{job, pod} {
				for _, object := range rendered(t, read(t, folder), phase, changed(func(o *Options) { o.Workload = workload }), testRequest) {
					checkObject(t, object)
				}
			}
		}
	}
}

func checkObject(t *testing.T, object object) {
	t.Helper()
	typed, ok := map[string]metav1.Object{
		"ConfigMap": &corev1.ConfigMap{}, "Secret": &corev1.Secret{}, "ServiceAccount": &corev1.ServiceAccount{},
		"Pod": &corev1.Pod{}, "Job": &batchv1.Job{}, "Role": &rbacv1.Role{}, "RoleBinding": &rbacv1.RoleBinding{},
	}[object.kind]
	require.True(t, ok, object.kind)
	asJSON, err := sigsyaml.YAMLToJSONStrict(object.yaml(nil))
	require.NoError(t, err)
	strict, err := kjson.UnmarshalStrict(asJSON, typed)
	require.NoError(t, err)
	require.Empty(t, strict)
	require.Equal(t, object.GetName(), typed.GetName())
	require.Equal(t, object.GetNamespace(), typed.GetNamespace())
	require.LessOrEqual(t, len(object.GetName()), contract.MaxObjectName)
	path := field.NewPath("metadata")
	require.Empty(t, validation.NameIsDNSLabel(object.GetName(), false))
	require.Empty(t, metavalidation.ValidateLabels(typed.GetLabels(), path))
	require.Empty(t, validation.ValidateAnnotations(typed.GetAnnotations(), path))
	require.Equal(t, contract.ManagedBy, typed.GetLabels()[contract.ManagedByKey])
	switch typed := typed.(type) {
	case *batchv1.Job:
		require.Empty(t, metavalidation.ValidateLabels(typed.Spec.Template.Labels, path))
		checkPod(t, &typed.Spec.Template.Spec)
		require.NotNil(t, typed.Spec.BackoffLimit)
		require.Greater(t, *typed.Spec.ActiveDeadlineSeconds, *typed.Spec.Template.Spec.ActiveDeadlineSeconds,
			"the Job's own deadline removes the Pod with its messages")
		require.Equal(t, batchv1.PodFailurePolicyActionIgnore, typed.Spec.PodFailurePolicy.Rules[0].Action)
		require.Nil(t, typed.Spec.TTLSecondsAfterFinished)
	case *corev1.Pod:
		checkPod(t, &typed.Spec)
	case *corev1.Secret:
		require.Empty(t, typed.Data)
		require.Empty(t, typed.StringData)
		require.Contains(t, typed.Annotations, contract.GenerationKey)
		require.NotContains(t, typed.Annotations, contract.PublishedKey)
	case *rbacv1.Role:
		for _, rule := range typed.Rules {
			require.NotEmpty(t, rule.ResourceNames)
			require.Len(t, rule.Verbs, 1)
			require.Contains(t, []string{" secrets watch", " secrets patch", " secrets delete", "batch jobs watch"},
				rule.APIGroups[0]+" "+strings.Join(rule.Resources, ",")+" "+rule.Verbs[0])
		}
	}
}

// checkPod checks a Pod against the requirements of the API server and of the design.
func checkPod(t *testing.T, spec *corev1.PodSpec) {
	t.Helper()
	require.Equal(t, corev1.RestartPolicyNever, spec.RestartPolicy)
	require.NotNil(t, spec.ActiveDeadlineSeconds)
	volumes := map[string]bool{}
	for _, volume := range spec.Volumes {
		require.False(t, volumes[volume.Name], "two volumes %s", volume.Name)
		volumes[volume.Name] = true
	}
	names := map[string]bool{}
	for _, container := range slices.Concat(spec.InitContainers, spec.Containers) {
		require.False(t, names[container.Name], "two containers %s", container.Name)
		names[container.Name] = true
		paths := map[string]bool{}
		for _, mount := range container.VolumeMounts {
			require.True(t, volumes[mount.Name], "no volume %s", mount.Name)
			require.False(t, paths[mount.MountPath], "two mounts at %s", mount.MountPath)
			paths[mount.MountPath] = true
			require.False(t, container.Name == contract.MainContainer && mount.Name == contract.TokenVolume, "our token")
		}
		variables := map[string]bool{}
		for _, variable := range container.Env {
			require.False(t, variables[variable.Name], "two variables %s", variable.Name)
			variables[variable.Name] = true
			require.False(t, variable.Value != "" && variable.ValueFrom != nil, variable.Name)
		}
		if container.Name == contract.InputManager || container.Name == contract.OutputManager {
			require.True(t, *container.SecurityContext.ReadOnlyRootFilesystem)
			require.NotEmpty(t, container.Resources.Limits)
		}
	}
	if spec.ServiceAccountName == "" || strings.HasPrefix(spec.ServiceAccountName, "feature-x-") {
		require.NotNil(t, spec.AutomountServiceAccountToken)
		require.False(t, *spec.AutomountServiceAccountToken)
	}
	require.Equal(t, names[contract.OutputManager], names[contract.OutputManager] && names[contract.InputManager])
}

func TestPlainStepsHoldNothingOfOurs(t *testing.T) {
	t.Parallel()
	for _, phase := range v1alpha1.Phases {
		objects := rendered(t, read(t, "hello"), phase, DefaultOptions(), testRequest)
		require.Len(t, objects, 2)
		text := string(objects[1].yaml(nil))
		for _, ours := range []string{"signadot-execunit", "helper", "RESOURCEPLUGINS", "initContainers", "token", "emptyDir"} {
			assert.NotContains(t, strings.ReplaceAll(text, "automountServiceAccountToken", ""), ours)
		}
	}
}

// Kubernetes expands $(NAME) and makes one $ of two; see expansion.Expand of k8s.io/kubernetes.
func expand(value string, known map[string]string) string {
	var out strings.Builder
	for i := 0; i < len(value); i++ {
		switch {
		case value[i] != '$' || i+1 == len(value):
			out.WriteByte(value[i])
		case value[i+1] == '$':
			out.WriteByte('$')
			i++
		case value[i+1] == '(' && strings.Contains(value[i:], ")"):
			end := i + strings.IndexByte(value[i:], ')')
			name := value[i+2 : end]
			if text, ok := known[name]; ok {
				out.WriteString(text)
			} else {
				out.WriteString("$(" + name + ")")
			}
			i = end
		default:
			out.WriteByte('$')
		}
	}
	return out.String()
}

func TestParamsArriveAsTheyAre(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	pieces := []string{"$", "$$", "$(HOME)", "$(SIGNADOT_SANDBOX_ID)", "(", ")", "\"", "'",
		"\n", " ", "ü", "\\", "${X}", "`id`", "a"}
	p := read(t, "hello")
	compiled, _ := compile(p, v1alpha1.PhaseCreate, DefaultOptions(), variant{})
	for range 500 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		value := text.String()
		r := testRequest
		r.Params = map[string]string{"dbname": value}
		objects, problems := compiled.render(&r)
		require.Empty(t, problems)
		var job batchv1.Job
		require.NoError(t, sigsyaml.UnmarshalStrict(objects[0].yaml(nil), &job))
		env := job.Spec.Template.Spec.Containers[0].Env
		require.Equal(t, value, expand(env[4].Value, map[string]string{"HOME": "!", "SIGNADOT_SANDBOX_ID": "!"}))
	}
}

func TestLargeParamsAreFiles(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("0123456789 $(X)\n", 6400)
	r := testRequest
	r.Params = map[string]string{"config": large}
	objects := rendered(t, read(t, "files"), v1alpha1.PhaseCreate, DefaultOptions(), r)
	of := slices.IndexFunc(objects, func(o object) bool { return o.kind == "ConfigMap" && o.GetLabels()[contract.SandboxKey] != "" })
	var config corev1.ConfigMap
	require.NoError(t, sigsyaml.UnmarshalStrict(objects[of].yaml(nil), &config))
	assert.Equal(t, map[string]string{"config": large}, config.Data)
	assert.True(t, *config.Immutable)
}

// Two thousand resources with names that are near one another: no object of one is an object of another.
func TestObjectsOfDifferentResourcesDiffer(t *testing.T) {
	t.Parallel()
	compiled, _ := compile(read(t, "postgres"), v1alpha1.PhaseCreate, DefaultOptions(), variant{})
	seen := map[string]string{}
	for i := range 500 {
		for _, names := range [][2]string{
			{"s", fmt.Sprintf("db-%d", i)}, {"s-db", strconv.Itoa(i)}, {"s", fmt.Sprintf("DB-%d", i)}, {fmt.Sprintf("s%d", i), "db"},
		} {
			r := testRequest
			r.Sandbox, r.SandboxID, r.Resource = names[0], contract.DeriveSandboxID("c", names[0]), names[1]
			objects, problems := compiled.render(&r)
			require.Empty(t, problems)
			for _, object := range objects {
				key := object.kind + object.GetNamespace() + object.GetName()
				require.Empty(t, seen[key], "%s of %v", key, names)
				seen[key] = fmt.Sprint(names)
			}
		}
	}
}

func TestRenderIsAFunctionOfItsInput(t *testing.T) {
	t.Parallel()
	for _, folder := range folders {
		first := printed(rendered(t, read(t, folder), v1alpha1.PhaseCreate, DefaultOptions(), testRequest))
		for range 5 {
			r := testRequest
			r.Params = maps.Clone(testRequest.Params)
			require.Equal(t, string(first), string(printed(rendered(t, read(t, folder), v1alpha1.PhaseCreate, DefaultOptions(), r))))
		}
	}
}

func BenchmarkPlainStep(b *testing.B) {
	compiled, _ := compile(read(b, "hello"), v1alpha1.PhaseCreate, DefaultOptions(), variant{})
	var out []byte
	for b.Loop() {
		objects, _ := compiled.render(&testRequest)
		for _, object := range objects {
			out = append(out[:0], object.yaml(nil)...)
		}
	}
	b.SetBytes(int64(len(out)))
}

func BenchmarkDataFlow(b *testing.B) {
	compiled, _ := compile(read(b, "postgres"), v1alpha1.PhaseCreate, DefaultOptions(), variant{})
	var out []byte
	for b.Loop() {
		out = out[:0]
		objects, _ := compiled.render(&testRequest)
		for _, object := range objects {
			out = append(out, object.yaml(nil)...)
		}
	}
	b.SetBytes(int64(len(out)))
}
