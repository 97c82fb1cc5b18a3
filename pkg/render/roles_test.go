package render

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
)

// eachRender calls do with the objects of the plugins in testdata, with each phase and engine, with copies of outputs, and with
// delete steps that wait for forks.
func eachRender(t *testing.T, do func(engine string, objects []object)) {
	t.Helper()
	for _, name := range append([]string{jobs.Name}, otherEngines...) {
		for _, folder := range folders {
			for _, phase := range v1alpha1.Phases {
				r := testRequest
				if folder == "postgres" {
					r = copying()
				}
				v := variant{}
				if folder == "hello" && phase == v1alpha1.PhaseDelete {
					r, v = forked(), variant{awaitsForks: true}
				}
				compiled, problems := compile(read(t, folder), phase, running(name), v)
				if compiled == nil {
					require.NotEqual(t, jobs.Name, name, "%v", problems)
					continue
				}
				objects, problems := compiled.render(&r)
				require.Empty(t, problems)
				do(name, objects)
			}
		}
	}
}

// The rights of each Role are those that the table in docs/explanation/security.md lists.
func TestRoles_allowWhatThePageLists(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	eachRender(t, func(engine string, objects []object) {
		for _, o := range objects {
			assert.False(t, strings.HasPrefix(o.kind, "Cluster"), o.kind)
			if o.kind != "Role" {
				continue
			}
			for _, rule := range decoded[rbacv1.Role](t, o).Rules {
				what := strings.Join(rule.APIGroups, ",") + " " + strings.Join(rule.Resources, ",") + " " + strings.Join(rule.Verbs, ",")
				seen[what]++
				assert.Empty(t, rule.NonResourceURLs)
				if what == "argoproj.io workflowtaskresults create,patch" {
					assert.Equal(t, argo.Name, engine)
					continue
				}
				assert.Contains(t, []string{" secrets watch", " secrets patch", " secrets delete", "batch jobs watch",
					"policy poddisruptionbudgets patch"}, what)
				assert.NotEmpty(t, rule.ResourceNames, what)
				assert.NotContains(t, rule.ResourceNames, "")
			}
		}
	})
	for _, what := range []string{" secrets watch", " secrets patch", " secrets delete", "batch jobs watch", "policy poddisruptionbudgets patch",
		"argoproj.io workflowtaskresults create,patch"} {
		assert.Positive(t, seen[what], what)
	}
}

// Each container that runs a helper has the limits and the security context that docs/explanation/security.md describes.
func TestHelpers_haveFewRights(t *testing.T) {
	t.Parallel()
	helpers := map[string]int{}
	eachRender(t, func(engine string, objects []object) {
		for _, o := range objects {
			var document any
			require.NoError(t, sigsyaml.Unmarshal(o.yaml(nil), &document))
			eachHelper(document, func(container map[string]any) {
				helpers[engine]++
				text, err := sigsyaml.Marshal(container)
				require.NoError(t, err)
				var decoded struct {
					SecurityContext corev1.SecurityContext      `json:"securityContext"`
					Resources       corev1.ResourceRequirements `json:"resources"`
					Compute         corev1.ResourceRequirements `json:"computeResources"` // of Tekton
				}
				require.NoError(t, sigsyaml.Unmarshal(text, &decoded))
				assert.Equal(t, HelperContainer(corev1.Container{}).SecurityContext, &decoded.SecurityContext, string(text))
				limits := slices.AppendSeq(slices.Collect(maps.Keys(decoded.Resources.Limits)), maps.Keys(decoded.Compute.Limits))
				assert.ElementsMatch(t, []corev1.ResourceName{"cpu", "memory"}, limits, string(text))
			})
		}
	})
	for _, name := range append([]string{jobs.Name}, otherEngines...) {
		assert.Positive(t, helpers[name], name)
	}
	limits := HelperContainer(corev1.Container{}).SecurityContext
	assert.EqualValues(t, 65532, *limits.RunAsUser)
	assert.True(t, *limits.RunAsNonRoot && *limits.ReadOnlyRootFilesystem && !*limits.AllowPrivilegeEscalation)
	assert.Equal(t, []corev1.Capability{"ALL"}, limits.Capabilities.Drop)
	assert.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, limits.SeccompProfile.Type)
}

// eachHelper calls do for each mapping whose command is a helper.
func eachHelper(node any, do func(map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		if command, is := node["command"].([]any); is && slices.Contains(command, any(contract.HelperBinary)) {
			do(node)
		}
		for _, child := range node {
			eachHelper(child, do)
		}
	case []any:
		for _, child := range node {
			eachHelper(child, do)
		}
	}
}
