package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// with returns the Deployment with additional fields in its Pods' spec.
func with(spec string) string {
	return strings.Replace(forkDeployment, "{containers: [{name: c, image: i}]}", "{containers: [{name: c, image: i}], "+spec+"}", 1)
}

// Labels in selectors of the namespace are removed, and labels that a selector requires to be missing are set.
func TestLabels(t *testing.T) {
	t.Parallel()
	budget := func(selector string) string {
		return "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: ns}\nspec: {selector: " + selector + "}\n"
	}
	own := func(f string) string {
		return "app.kubernetes.io/managed-by: krm-functions, resourceplugins.dev/fork: " + f + ", resourceplugins.dev/sandbox: s"
	}
	for _, c := range []struct{ name, other, want string }{
		{"its own", "", "extra: x, "},
		{"a service's", "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: ns}\nspec: {selector: {extra: other}}\n", ""},
		{"elsewhere", "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: there}\nspec: {selector: {extra: x}}\n", "extra: x, "},
		{"a budget's", budget("{matchExpressions: [{key: extra, operator: Exists}]}"), ""},
		{"what lacks a label", budget("{matchExpressions: [{key: canary, operator: DoesNotExist}]}"), "extra: x, canary: fork, "},
		{"what has no such value", budget("{matchExpressions: [{key: tier, operator: NotIn, values: [front]}]}"), "extra: x, tier: front, "},
	} {
		documents := []string{forkDeployment}
		if c.other != "" {
			documents = append(documents, c.other)
		}
		f := forkOf(t, forkWeb, documents...)
		for _, at := range [][]string{{"spec", "template", "metadata", "labels"}, {"metadata", "labels"}} {
			text, err := yaml.Marshal(stringMap(f.object, at...))
			require.NoError(t, err)
			want := c.want
			if len(at) == 2 {
				want = strings.Replace(want, "extra: x, ", "", 1) // the object itself has no such label
				want += "resourceplugins.dev/sandbox-id: abcdefghijklm, "
			}
			assert.YAMLEq(t, "{"+want+own(f.name)+"}", string(text), c.name)
		}
		assert.Equal(t, f.name, f.labels["resourceplugins.dev/fork"])
	}
}

// Placement terms about the baseline's own Pods are changed to the fork's; all others stay.
func TestPlacement(t *testing.T) {
	t.Parallel()
	const own, other = "{matchLabels: {app: web}}", "{matchLabels: {app: redis}}"
	term := func(selector string) string { return "{topologyKey: zone, labelSelector: " + selector + "}" }
	for _, field := range []string{
		"topologySpreadConstraints: [TERM]",
		"affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [TERM]}}",
		"affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [TERM]}}",
		"affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: TERM}]}}",
	} {
		for before, after := range map[string]string{
			term(own):   term("{matchLabels: {resourceplugins.dev/fork: NAME}}"),
			term(other): term(other),
			"{topologyKey: zone, namespaces: [there], labelSelector: " + own + "}": "{topologyKey: zone, namespaces: [there], labelSelector: " + own + "}",
		} {
			f := forkOf(t, forkWeb, with(strings.Replace(field, "TERM", before, 1)))
			spec := child(f.object, "spec", "template", "spec")
			delete(spec, "containers")
			text, err := yaml.Marshal(spec)
			require.NoError(t, err)
			want := strings.Replace(strings.Replace(field, "TERM", after, 1), "NAME", f.name, 1)
			assert.YAMLEq(t, "{"+want+"}", string(text), field)
		}
	}
}
