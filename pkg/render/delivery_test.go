package render

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engine/tekton"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// objects are one of each kind in both phases, in the order in which a render has them.
func objects() []object {
	one := func(kind string, phase v1alpha1.Phase, script string, shared bool) object {
		value := &corev1.ConfigMap{TypeMeta: typeMeta("v1", kind), Data: map[string]string{"script": script}}
		value.Name, value.Annotations = "n", map[string]string{contract.PhaseKey: string(phase)}
		return object{Manifest: value, kind: kind, phase: phase, isShared: shared}
	}
	var all []object
	for _, phase := range v1alpha1.Phases {
		all = append(all, one("ConfigMap", phase, "#!/bin/sh\necho {{.Values.x}} {{{", true), one("ConfigMap", phase, "p", false),
			one("Secret", phase, "s", false), one("ServiceAccount", phase, "a", false), one("Role", phase, "r", false),
			one("RoleBinding", phase, "b", false), one("Job", phase, "{{j}}", false), one("Pod", phase, "q", false))
	}
	return all
}

// line joins an object's annotations, but for those of the render itself.
func line(object object) string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(object.added)) {
		_, name, _ := strings.Cut(key, "/")
		words = append(words, name+"="+object.added[key])
	}
	return strings.Join(words, " ")
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	const keep, wave = "compare-options=IgnoreExtraneous sync-options=Prune=false,Delete=false sync-wave=-1", "sync-wave=-1"
	const held = "hook=PostDelete hook-delete-policy=HookSucceeded"
	const first = "hook=PreDelete hook-delete-policy=HookSucceeded"
	const policy = " hook-delete-policy=before-hook-creation,hook-succeeded hook-weight="
	// The order is: shared ConfigMap, ConfigMap, Secret, ServiceAccount, Role, RoleBinding, Job, Pod; create, then delete.
	plain := func(phase ...string) []string { return append(append([]string(nil), phase...), phase...) }
	for name, test := range map[string]struct {
		delivery delivery
		want     []string
	}{
		"nothing": {delivery{}, make([]string, 16)},
		"kubectl": {delivery{tool: kubectl, holds: true}, make([]string, 16)},
		"argocd":  {delivery{tool: argoCD}, plain(keep, wave, keep, wave, wave, wave, "", "")},
		"argocd, both phases": {
			delivery{tool: argoCD, holds: true},
			[]string{keep, wave, keep, wave, wave, wave, "", "", keep, held, keep, held, held, held, held, held},
		},
		"argocd, before": {
			delivery{tool: argoCD, holds: true, hook: preDelete},
			[]string{keep, wave, keep, wave, wave, wave, "", "", keep, first, keep, first, first, first, first, first},
		},
		"flux": {delivery{tool: flux}, plain("prune=disabled substitute=disabled", "substitute=disabled", "prune=disabled",
			"", "", "", "substitute=disabled", "substitute=disabled")},
		"helm": {delivery{tool: helm}, plain("resource-policy=keep", "", "resource-policy=keep", "", "", "", "", "")},
		"helm, both phases": {
			delivery{tool: helm, holds: true},
			[]string{
				"resource-policy=keep", "", "resource-policy=keep", "", "", "", "", "",
				"resource-policy=keep", "hook=post-delete" + policy + "9", "resource-policy=keep", "hook=post-delete" + policy + "11",
				"hook=post-delete" + policy + "12", "hook=post-delete" + policy + "13", "hook=post-delete" + policy + "14",
				"hook=post-delete" + policy + "15",
			},
		},
		"kpt": {delivery{tool: kpt}, plain("on-remove=keep", "", "on-remove=keep", "", "", "", "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			prepared := objects()
			test.delivery.prepare(prepared)
			for _, object := range prepared {
				got = append(got, line(object))
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// Workloads of all engines and their dependencies are delivered like Jobs, with either phase and with a delete phase
// that is held back.
func TestAnnotations_ofEngines(t *testing.T) {
	t.Parallel()
	const keep, wave, disabled = "compare-options=IgnoreExtraneous sync-options=Prune=false,Delete=false sync-wave=-1", "sync-wave=-1", "substitute=disabled"
	const held, hook = "hook=PostDelete hook-delete-policy=HookSucceeded", "hook=post-delete hook-delete-policy=" +
		"before-hook-creation,hook-succeeded hook-weight=N"
	number := regexp.MustCompile(`weight=\d+`)
	for name, workload := range map[string]string{jobs.Name: job, argo.Name: argo.Kind, tekton.Name: tekton.Kind} {
		for _, test := range []struct {
			delivery delivery
			phase    v1alpha1.Phase
			want     map[string]string // by kind; scripts are "scripts"
		}{
			{delivery{tool: kubectl}, v1alpha1.PhaseCreate, map[string]string{
				workload: "", "scripts": "", "ConfigMap": "", "Secret": "", "ServiceAccount": "", "Role": "", "RoleBinding": "",
			}},
			{delivery{tool: argoCD}, v1alpha1.PhaseCreate, map[string]string{
				workload: "", "scripts": keep, "ConfigMap": wave, "Secret": keep, "ServiceAccount": wave, "Role": wave, "RoleBinding": wave,
			}},
			{delivery{tool: argoCD, holds: true}, v1alpha1.PhaseDelete, map[string]string{
				workload: held, "scripts": keep, "ConfigMap": held, "Secret": keep, "ServiceAccount": held, "Role": held, "RoleBinding": held,
			}},
			{delivery{tool: flux}, v1alpha1.PhaseDelete, map[string]string{
				workload: disabled, "scripts": "prune=disabled " + disabled, "ConfigMap": disabled, "Secret": "prune=disabled",
				"ServiceAccount": "", "Role": "", "RoleBinding": "",
			}},
			{delivery{tool: helm}, v1alpha1.PhaseCreate, map[string]string{
				workload: "", "scripts": "resource-policy=keep", "ConfigMap": "", "Secret": "resource-policy=keep",
				"ServiceAccount": "", "Role": "", "RoleBinding": "",
			}},
			{delivery{tool: helm, holds: true}, v1alpha1.PhaseDelete, map[string]string{
				workload: hook, "scripts": "resource-policy=keep", "ConfigMap": hook, "Secret": "resource-policy=keep",
				"ServiceAccount": hook, "Role": hook, "RoleBinding": hook,
			}},
			{delivery{tool: kpt}, v1alpha1.PhaseCreate, map[string]string{
				workload: "", "scripts": "on-remove=keep", "ConfigMap": "", "Secret": "on-remove=keep",
				"ServiceAccount": "", "Role": "", "RoleBinding": "",
			}},
		} {
			objects := rendered(t, read(t, "files"), test.phase, running(name), testRequest)
			test.delivery.prepare(objects)
			got := map[string]string{}
			for i := range objects {
				kind := objects[i].kind
				if objects[i].isShared {
					kind = "scripts"
				}
				text := number.ReplaceAllString(line(objects[i]), "weight=N")
				if before, isKnown := got[kind]; isKnown {
					assert.Equal(t, before, text, "%s %s: all of a kind have the same", name, kind)
				}
				got[kind] = text
			}
			for kind := range test.want {
				if _, isRendered := got[kind]; !isRendered && kind != workload { // not all engines need all of them
					delete(test.want, kind)
				}
			}
			assert.Equal(t, test.want, got, "%s with %s, %s", name, test.delivery.tool, test.phase)
		}
	}
}

// Without the tool's annotations, and without Helm's escapes, every object is byte for byte the one for kubectl.
func TestOnlyAnnotationsDiffer(t *testing.T) {
	t.Parallel()
	want := objects()
	for _, tool := range Tools {
		for _, holds := range []bool{false, true} {
			prepared := objects()
			delivery{tool: tool, holds: holds, isTemplate: tool == helm}.prepare(prepared)
			for i, object := range prepared {
				object.added = nil
				text := string(object.yaml(nil))
				if tool == helm {
					text = strings.ReplaceAll(text, string(escaped), string(opening))
				}
				assert.Equal(t, string(want[i].yaml(nil)), text, tool)
			}
		}
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":              "",
		"echo }} { {":   "echo }} { {",
		"{{":            "{{`{{`}}",
		"{{ .x }}":      "{{`{{`}} .x }}",
		"{{{":           "{{`{{`}}{",
		"{{{{":          "{{`{{`}}{{`{{`}}",
		"a{{b{{- c -}}": "a{{`{{`}}b{{`{{`}}- c -}}",
		"{{`{{`}}":      "{{`{{`}}`{{`{{`}}`}}",
	} {
		assert.Equal(t, want, string(escapeTemplate([]byte(text))), text)
	}
	text := yamlprint.AppendYAML(nil, map[string]any{"{{k": []any{true, "{{"}})
	assert.Equal(t, "'{{`{{`}}k':\n- true\n- '{{`{{`}}'\n", string(escapeTemplate(text)))
}

func TestTools(t *testing.T) {
	t.Parallel()
	var hooks, again []string
	for _, tool := range Tools {
		if hasHooks(tool) {
			hooks = append(hooks, tool)
		}
		if recreates(tool) {
			again = append(again, tool)
		}
	}
	assert.Equal(t, []string{argoCD, helm}, hooks)
	assert.Equal(t, []string{argoCD, flux, kpt}, again)
}

// Escaped text passes through Go's templates, as Helm uses them, unchanged.
func FuzzEscape(f *testing.F) {
	f.Add("{{ .Values }}")
	f.Add("{{{`}}")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := executed(string(escapeTemplate([]byte(text))))
		require.NoError(t, err)
		assert.Equal(t, text, got)
	})
}
