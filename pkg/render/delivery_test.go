package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// objects are one of each kind in both phases, in the order in which a render has them.
func objects() []Object {
	one := func(kind, phase, script string, shared bool) Object {
		return Object{Kind: kind, Name: "n", Phase: phase, Shared: shared, Tree: manifest.NewMap(
			manifest.KV("kind", manifest.String(kind)),
			manifest.KV("metadata", manifest.NewMap(
				manifest.KV("annotations", manifest.NewMap(note("resourceplugins.dev/phase", phase))),
				note("name", "n"),
			)),
			manifest.KV("spec", manifest.List{manifest.String(script), manifest.Int(1), manifest.NewMap(note("a", "b"))}),
		)}
	}
	var all []Object
	for _, phase := range []string{"create", "delete"} {
		all = append(all, one("ConfigMap", phase, "#!/bin/sh\necho {{.Values.x}} {{{", true), one("ConfigMap", phase, "p", false),
			one("Secret", phase, "s", false), one("ServiceAccount", phase, "a", false), one("Role", phase, "r", false),
			one("RoleBinding", phase, "b", false), one("Job", phase, "{{j}}", false), one("Pod", phase, "q", false))
	}
	return all
}

// line tells what an object's annotations say, but for those of the render itself.
func line(object Object) string {
	var words []string
	for _, field := range object.Tree.Map("metadata").Map("annotations") {
		if _, name, _ := strings.Cut(field.Key, "/"); name != "phase" {
			words = append(words, name+"="+string(field.Value.(manifest.String)))
		}
	}
	return strings.Join(words, " ")
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	const keep, wave = "sync-options=Prune=false,Delete=false sync-wave=-1", "sync-wave=-1"
	const held = "hook=PostDelete hook-delete-policy=HookSucceeded"
	const first = "hook=PreDelete hook-delete-policy=HookSucceeded"
	const policy = " hook-delete-policy=before-hook-creation,hook-succeeded hook-weight="
	// The order is: shared ConfigMap, ConfigMap, Secret, ServiceAccount, Role, RoleBinding, Job, Pod; create, then delete.
	plain := func(phase ...string) []string { return append(append([]string(nil), phase...), phase...) }
	for name, test := range map[string]struct {
		delivery Delivery
		want     []string
	}{
		"nothing": {Delivery{}, make([]string, 16)},
		"kubectl": {Delivery{Tool: Kubectl, Holds: true}, make([]string, 16)},
		"argocd":  {Delivery{Tool: ArgoCD}, plain(keep, wave, keep, wave, wave, wave, "", "")},
		"argocd, both phases": {
			Delivery{Tool: ArgoCD, Holds: true},
			[]string{keep, wave, keep, wave, wave, wave, "", "", keep, held, keep, held, held, held, held, held},
		},
		"argocd, before": {
			Delivery{Tool: ArgoCD, Holds: true, Hook: PreDelete},
			[]string{keep, wave, keep, wave, wave, wave, "", "", keep, first, keep, first, first, first, first, first},
		},
		"flux": {Delivery{Tool: Flux}, plain("prune=disabled substitute=disabled", "substitute=disabled", "prune=disabled",
			"", "", "", "substitute=disabled", "substitute=disabled")},
		"helm": {Delivery{Tool: Helm}, plain("resource-policy=keep", "", "resource-policy=keep", "", "", "", "", "")},
		"helm, both phases": {
			Delivery{Tool: Helm, Holds: true},
			[]string{
				"resource-policy=keep", "", "resource-policy=keep", "", "", "", "", "",
				"resource-policy=keep", "hook=post-delete" + policy + "9", "resource-policy=keep", "hook=post-delete" + policy + "11",
				"hook=post-delete" + policy + "12", "hook=post-delete" + policy + "13", "hook=post-delete" + policy + "14",
				"hook=post-delete" + policy + "15",
			},
		},
		"kpt": {Delivery{Tool: Kpt}, plain("on-remove=keep", "", "on-remove=keep", "", "", "", "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, object := range test.delivery.Annotate(objects()) {
				got = append(got, line(object))
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// Without the tool's annotations, and without Helm's escapes, every object is byte for byte what kubectl gets.
func TestOnlyAnnotationsDiffer(t *testing.T) {
	t.Parallel()
	want := objects()
	for _, tool := range Tools {
		for _, holds := range []bool{false, true} {
			given := objects()
			for i, object := range (Delivery{Tool: tool, Holds: holds}).Annotate(given) {
				require.Equal(t, want[i], given[i], "what is given is left alone")
				var kept manifest.Map
				for _, field := range object.Tree.Map("metadata").Map("annotations") {
					if strings.HasPrefix(field.Key, "resourceplugins.dev/") {
						kept = append(kept, field)
					}
				}
				tree := object.Tree.With("metadata", object.Tree.Map("metadata").With("annotations", kept))
				text := string(manifest.AppendYAML(nil, tree))
				if tool == Helm {
					text = strings.ReplaceAll(text, escaped, opening)
				}
				assert.Equal(t, string(manifest.AppendYAML(nil, want[i].Tree)), text, tool)
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
		assert.Equal(t, manifest.String(want), escape(manifest.String(text)), text)
	}
	tree := manifest.NewMap(manifest.KV("{{k", manifest.List{manifest.Bool(true), manifest.String("{{")}))
	assert.Equal(t, "'{{`{{`}}k':\n- true\n- '{{`{{`}}'\n", string(manifest.AppendYAML(nil, escape(tree))))
}

func TestTools(t *testing.T) {
	t.Parallel()
	var hooks, recreates []Tool
	for _, tool := range Tools {
		if tool.HasHooks() {
			hooks = append(hooks, tool)
		}
		if tool.Recreates() {
			recreates = append(recreates, tool)
		}
	}
	assert.Equal(t, []Tool{ArgoCD, Helm}, hooks)
	assert.Equal(t, []Tool{ArgoCD, Flux, Kpt}, recreates)
}

// What the escapes are for: Go's templates, as Helm uses them, print the text as it was.
func FuzzEscape(f *testing.F) {
	f.Add("{{ .Values }}")
	f.Add("{{{`}}")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := printed(string(escape(manifest.String(text)).(manifest.String)))
		require.NoError(t, err)
		assert.Equal(t, text, got)
	})
}
