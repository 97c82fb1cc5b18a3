package render_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// accountPlugins differ in the rights of the account in their overlay.
var accountPlugins = map[string]string{
	"shared": accountPlugin("shared", "{serviceAccountName: team}", true),
	"former": accountPlugin("former", "{serviceAccount: team}", true),
	"silent": accountPlugin("silent", "{serviceAccountName: team, automountServiceAccountToken: false}", true),
	"plain":  accountPlugin("plain", "{serviceAccountName: team}", false),
	"other":  accountPlugin("other", "{serviceAccountName: others}", true),
	"own":    accountPlugin("own", "{}", true),
}

// accountPlugin has outputs that its delete step reads, or neither outputs nor a delete phase.
func accountPlugin(name, spec string, publishes bool) string {
	text := "apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: " + name + "@1.0.0}\nspec:\n" +
		"  runner: {image: busybox, namespace: ns, podTemplateOverlay: \"spec: " + spec + "\"}\n" +
		"  create:\n  - name: make\n    script: \"#!/bin/sh\"\n"
	if publishes {
		text += "    outputs: [{name: o, valueFromPath: /tmp/o}]\n  delete:\n  - name: drop\n    script: \"#!/bin/sh\"\n" +
			"    inputs: [{name: o, valueFromStep: {name: make, output: o}, as: {env: O}}]\n"
	}
	return text
}

func accountSandbox(name, state string, plugins ...string) string {
	text := fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: %s, annotations: "+
		"{resourceplugins.dev/state: %s}}\nspec:\n  cluster: c\n  resources:\n", name, state)
	for i, plugin := range plugins {
		text += fmt.Sprintf("  - {name: r%d, plugin: %s@1.0.0}\n", i, plugin)
	}
	return text
}

func renderAccounts(t *testing.T, options render.Options, sandboxes ...string) *krm.ResourceList {
	t.Helper()
	text := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	for _, name := range slices.Sorted(maps.Keys(accountPlugins)) {
		sandboxes = append(sandboxes, accountPlugins[name])
	}
	for _, document := range sandboxes {
		text += "- " + strings.ReplaceAll(strings.TrimSpace(document), "\n", "\n  ") + "\n"
	}
	list, err := krm.Parse([]byte(text))
	require.NoError(t, err)
	_, err = render.Phases(list, options)
	require.NoError(t, err)
	return list
}

func TestPhases_sharedAccount(t *testing.T) {
	t.Parallel()
	const (
		live, absent = "present", "absent"
		warning      = `[warning] ResourcePlugin/shared@1.0.0 spec.runner.podTemplateOverlay: scripts of sandboxes "a", "b" get ` +
			`the token of ServiceAccount "team" in namespace "ns", which may read and write the outputs of "a", "b": set ` +
			`automountServiceAccountToken: false in the overlay, or list the account in trustedAccounts`
		refused = `its delete steps must not use ServiceAccount "team" in namespace "ns", whose token scripts of %q get: they ` +
			`could mark the steps as done. Render the delete phase without those sandboxes once their scripts have ended, or list ` +
			`the account in trustedAccounts`
	)
	ofA := `[error] Sandbox/a spec.resources[0].plugin: ` + fmt.Sprintf(refused, "b")
	ofB := `[error] Sandbox/b spec.resources[0].plugin: ` + fmt.Sprintf(refused, "a")
	mixed := strings.Replace(warning, `sandboxes "a", "b" get`, `sandboxes "a" get`, 1)
	for name, c := range map[string]struct {
		a, b     [2]string
		trusted  []string
		both     bool
		want     []string
		rendered int
	}{
		"both live":                   {a: [2]string{live, "shared"}, b: [2]string{live, "shared"}, want: []string{warning}},
		"one is deleted":              {a: [2]string{live, "shared"}, b: [2]string{absent, "shared"}, want: []string{ofB, warning}},
		"both are deleted":            {a: [2]string{absent, "shared"}, b: [2]string{absent, "former"}, want: []string{ofA, ofB, warning}},
		"the account is trusted":      {a: [2]string{live, "shared"}, b: [2]string{absent, "shared"}, trusted: []string{"team"}},
		"another account":             {a: [2]string{live, "shared"}, b: [2]string{absent, "other"}},
		"an account for each":         {a: [2]string{live, "shared"}, b: [2]string{absent, "own"}},
		"no token":                    {a: [2]string{live, "silent"}, b: [2]string{absent, "silent"}},
		"no data flow":                {a: [2]string{live, "plain"}, b: [2]string{live, "plain"}},
		"delete hooks of live ones":   {a: [2]string{live, "shared"}, b: [2]string{live, "shared"}, both: true, want: []string{ofA, ofB, warning}},
		"a token beside silent steps": {a: [2]string{live, "shared"}, b: [2]string{absent, "silent"}, want: []string{ofB, mixed}},
		"a token of plain steps": {a: [2]string{live, "plain"}, b: [2]string{absent, "shared"}, want: []string{ofB,
			strings.Replace(warning, `outputs of "a", "b"`, `outputs of "b"`, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := render.DefaultOptions()
			if options.TrustedAccounts = c.trusted; c.both {
				options.Phases, options.Delivery = []string{"create", "delete"}, "argocd"
			}
			list := renderAccounts(t, options, accountSandbox("a", c.a[0], c.a[1]), accountSandbox("b", c.b[0], c.b[1]))
			var got []string
			for _, result := range list.Results() {
				if result.Tags[krm.RuleTag] == overlay.RuleAccount {
					got = append(got, fmt.Sprintf("[%s] %s/%s %s: %s", result.Severity, result.ResourceRef.Kind, result.ResourceRef.Name,
						result.Field.Path, result.Message))
				}
			}
			assert.ElementsMatch(t, c.want, got)
		})
	}
}

// In no render without errors does a script get a token that may write to the delete phase of another sandbox, and those
// delete phases alone are refused: this reads the rendered Roles, as the API server does.
func TestPhases_deletePhasesAreSafeFromOthers(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "renders thousands of lists")
	random := checkout.Random(t)
	names := slices.Sorted(maps.Keys(accountPlugins))
	refused, affected := 0, 0
	for range 200 {
		var sandboxes []string
		for i := range 1 + random.IntN(3) {
			plugins := make([]string, 1+random.IntN(2))
			for j := range plugins {
				plugins[j] = names[random.IntN(len(names))]
			}
			sandboxes = append(sandboxes, accountSandbox(fmt.Sprintf("s%d", i), []string{"present", "absent"}[random.IntN(2)], plugins...))
		}
		options := render.DefaultOptions()
		list := renderAccounts(t, options, sandboxes...)
		assert.Empty(t, affectedDeletePhases(t, list), sandboxes)
		options.TrustedAccounts = []string{"team", "others"}
		trusted := affectedDeletePhases(t, renderAccounts(t, options, sandboxes...))
		assert.Equal(t, len(trusted) > 0, list.Results().Failed(), "%v: %s", sandboxes, list.Results())
		if len(trusted) > 0 {
			affected++
		} else {
			refused++
		}
	}
	assert.Greater(t, min(refused, affected), 20)
}

// affectedDeletePhases returns the sandboxes to whose Secrets of delete steps a script of another sandbox can write.
func affectedDeletePhases(t *testing.T, list *krm.ResourceList) (found []string) {
	t.Helper()
	tokens := map[string][]string{} // the sandboxes whose scripts get a token, by account
	roles := map[string]rbacv1.Role{}
	read := func(item *krm.Item, into any) {
		text, err := item.RNode().String()
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal([]byte(text), into))
	}
	for _, item := range list.Items() {
		switch item.Kind() {
		case "Job":
			var job batchv1.Job
			read(item, &job)
			pod := &job.Spec.Template.Spec
			if mounts := pod.AutomountServiceAccountToken; mounts == nil || *mounts {
				tokens[pod.ServiceAccountName] = append(tokens[pod.ServiceAccountName], job.Labels[contract.SandboxKey])
			}
		case "Role":
			var role rbacv1.Role
			read(item, &role)
			roles[role.Name] = role
		}
	}
	for _, item := range list.Of("rbac.authorization.k8s.io/v1", "RoleBinding") {
		var binding rbacv1.RoleBinding
		read(item, &binding)
		sandbox := binding.Labels[contract.SandboxKey]
		writes := slices.ContainsFunc(roles[binding.RoleRef.Name].Rules, func(r rbacv1.PolicyRule) bool {
			return slices.Contains(r.Verbs, "patch") || slices.Contains(r.Verbs, "delete")
		})
		if writes && binding.Labels[contract.PhaseKey] == "delete" &&
			slices.ContainsFunc(tokens[binding.Subjects[0].Name], func(other string) bool { return other != sandbox }) {
			found = append(found, sandbox)
		}
	}
	return found
}
