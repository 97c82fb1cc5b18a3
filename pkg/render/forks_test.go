package render

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/tekton"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// forked is testRequest of a sandbox with forks in two namespaces, one of them that of the steps.
func forked() request {
	r := testRequest
	r.Forks = map[string][]string{"shop": {"web-b", "web-a"}, "databases": {"api-a"}}
	return r
}

// awaiting renders a delete phase whose steps wait for forks.
func awaiting(t *testing.T, plugin string, options Options) []object {
	t.Helper()
	options.Phases = []string{string(v1alpha1.PhaseDelete)}
	compiled, problems := compile(read(t, plugin), v1alpha1.PhaseDelete, options, variant{awaitsForks: true})
	require.NotNil(t, compiled, "%v", problems)
	of := forked()
	objects, problems := compiled.render(&of)
	require.Empty(t, problems)
	p := &plan{options: options}
	return append(p.budgets(&task{sandbox: &sandbox{}, phase: compiled, request: of}), objects...)
}

func TestForks_golden(t *testing.T) {
	t.Parallel()
	const file = "testdata/postgres/forks.yaml"
	got := printed(awaiting(t, "postgres", DefaultOptions()))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

// The first delete steps wait for the helper, and their generations are those without it. Its account may read nothing but
// the numbers of Pods, and no script gets the account.
func TestForks_firstStepsWait(t *testing.T) {
	t.Parallel()
	for _, plugin := range []string{"hello", "postgres"} {
		objects := awaiting(t, plugin, DefaultOptions())
		helper := helperJobs(t, objects, contract.HelperForks)
		require.Len(t, helper, 1, plugin)
		spec := helper[0].Spec.Template.Spec
		secret := helper[0].Spec.Template.Annotations[contract.OutputSecretKey]
		budget := helper[0].Spec.Template.Annotations[contract.ForkBudgetKey]
		namespace := helper[0].Namespace
		want := []string{namespace + " patch " + secret}
		for _, counted := range slices.Compact(slices.Sorted(slices.Values([]string{namespace, "databases", "shop"}))) {
			want = append(want, counted+" patch "+budget)
		}
		assert.ElementsMatch(t, want, rights(t, objects, spec.ServiceAccountName), plugin)
		assert.Len(t, spec.Containers, 1)

		generations := map[string]string{}
		for _, o := range rendered(t, read(t, plugin), v1alpha1.PhaseDelete, DefaultOptions(), testRequest) {
			if step := o.GetAnnotations()[contract.StepKey]; step != "" {
				generations[step] = o.GetAnnotations()[contract.GenerationKey]
			}
		}
		waiting := 0
		for _, o := range ofKind(objects, "Job") {
			annotations := o.GetAnnotations()
			if step := annotations[contract.StepKey]; step != "" {
				assert.Equal(t, generations[step], annotations[contract.GenerationKey], "%s %s", plugin, step)
				waiting += strings.Count(annotations[contract.DependsOnKey], contract.HelperForks)
				assert.NotEmpty(t, annotations[contract.DependsOnKey], "%s %s", plugin, step)
			}
		}
		assert.Positive(t, waiting, plugin)
		cleanup := helperJobs(t, objects, contract.HelperCleanup)
		require.Len(t, cleanup, 1, "the Secret of the helper must be removed: "+plugin)
		assert.Contains(t, rights(t, objects, cleanup[0].Spec.Template.Spec.ServiceAccountName), namespace+" delete "+secret)
	}
}

// The resources of a sandbox share the budgets: Kubernetes evicts no Pod that several select. They belong to the sandbox, and
// come before all Jobs.
func TestPhases_resourcesShareBudgets(t *testing.T) {
	t.Parallel()
	moved := strings.NewReplacer("db@1.0.0", "queue@1.0.0", "runner: {", "runner: {namespace: queues, ").Replace(skipPlugin)
	require.Contains(t, moved, "namespace: queues")
	two := strings.Replace(forkedSandbox("resourceplugins.dev/state: absent"), "plugin: db@1.0.0}", "plugin: db@1.0.0}, {name: q, plugin: "+
		"queue@1.0.0}, {name: s, plugin: db@1.0.0}", 1)
	held := strings.Replace(two, "resourceplugins.dev/state: absent", "", 1)
	for name, c := range map[string]struct {
		sandbox string
		phases  []string
	}{"plain": {two, []string{"delete"}}, "held": {held, []string{"create", "delete"}}} {
		options := changed(func(o *Options) { o.Delivery, o.Phases, o.WithoutPaths = helm, c.phases, false })
		objects, problems := phasesOf(t, options, skipPlugin, moved, c.sandbox)
		require.Empty(t, problems)
		var budgets, waiting []*krm.Item
		for _, text := range objects {
			item, err := krm.NewItem([]byte(text))
			require.NoError(t, err)
			switch helper, _ := item.Annotation(contract.HelperKey); {
			case item.Kind() == kindBudget:
				assert.Empty(t, waiting, "a Job must not come before what it waits for")
				budgets = append(budgets, item)
			case item.Kind() == job && helper == contract.HelperForks:
				waiting = append(waiting, item)
			}
		}
		require.Len(t, waiting, 3, name)
		var namespaces []string
		for _, budget := range budgets {
			namespaces = append(namespaces, budget.Namespace())
			assert.Equal(t, budgets[0].Name(), budget.Name())
			_, isOfResource := budget.Annotation(contract.ResourceKey)
			assert.False(t, isOfResource)
			path, _ := budget.Annotation("internal.config.kubernetes.io/path")
			assert.Equal(t, "rendered/a/"+budget.Namespace()+"-"+budget.Name()+".yaml", path)
			weight, isHook := budget.Annotation("helm.sh/hook-weight")
			assert.Equal(t, name == "held", isHook)
			assert.Equal(t, map[bool]string{true: "0"}[isHook], weight, "before all Jobs")
		}
		assert.Equal(t, []string{"default", "shop", "queues"}, namespaces, name)
		for _, item := range waiting {
			text, err := item.Bytes()
			require.NoError(t, err)
			assert.Contains(t, string(text), contract.ForkBudgetKey+": "+budgets[0].Name()+"\n")
			weight, _ := item.Annotation("helm.sh/hook-weight")
			assert.NotEqual(t, "0", weight)
		}
	}
}

// With an engine of the cluster, the helper is a task before the delete steps.
func TestForks_engines(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]string{argo.Name: "dependencies:\n        - forks\n", tekton.Name: "runAfter:\n      - forks\n"} {
		objects := awaiting(t, "hello", running(name))
		assert.Contains(t, string(printed(objects)), after, name)
		assert.Len(t, ofKind(objects, kindBudget), 3, name)
	}
}

// forkedSandbox is a sandbox of skipPlugin with a fork.
func forkedSandbox(annotations string) string {
	return "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: a, annotations: {" + annotations + "}}\nspec:\n" +
		"  cluster: c\n  resources: [{name: r, plugin: db@1.0.0}]\n  forks: [{forkOf: {kind: Deployment, namespace: shop, name: web}}]\n"
}

func phasesOf(t *testing.T, options Options, documents ...string) (objects, problems []string) {
	t.Helper()
	var items []*krm.Item
	for _, text := range documents {
		item, err := krm.NewItem([]byte(text))
		require.NoError(t, err)
		items = append(items, item)
	}
	list := krm.NewList(items...)
	summary, err := Phases(list, options)
	require.NoError(t, err)
	for _, item := range summary.Objects {
		text, err := item.Bytes()
		require.NoError(t, err)
		objects = append(objects, string(text))
	}
	for _, result := range list.Results() {
		if result.Severity != krm.Info {
			problems = append(problems, result.String())
		}
	}
	return objects, problems
}

// Delete steps wait in the cluster with tools that do not order the end of forks and the start of delete steps.
func TestPhases_whoWaitsForForks(t *testing.T) {
	t.Parallel()
	const absent = "resourceplugins.dev/state: absent"
	for _, c := range []struct {
		tool, hook, annotations string
		phases                  []string
		want                    int
	}{
		{kubectl, "", absent, []string{"delete"}, 0},
		{argoCD, "", absent, []string{"delete"}, 1},
		{argoCD, "", absent, []string{"create", "delete"}, 1},
		{argoCD, "", "", []string{"create", "delete"}, 0},
		{argoCD, preDelete, "", []string{"create", "delete"}, 0},
		{flux, "", absent, []string{"create"}, 1},
		{kpt, "", absent, []string{"create"}, 1},
		{helm, "", absent, []string{"create"}, 1},
		{helm, "", "", []string{"create", "delete"}, 1},
		{helm, preDelete, "", []string{"create", "delete"}, 0},
		{helm, preDelete, absent, []string{"create", "delete"}, 1},
		{flux, "", "", []string{"create"}, 0},
	} {
		options := changed(func(o *Options) { o.Delivery, o.DeleteHook, o.Phases = c.tool, c.hook, c.phases })
		objects, problems := phasesOf(t, options, skipPlugin, forkedSandbox(c.annotations))
		assert.Empty(t, problems)
		assert.Equal(t, 2*c.want, strings.Count(strings.Join(objects, ""), "kind: PodDisruptionBudget\n"), "%+v", c)

		without := strings.Replace(forkedSandbox(c.annotations), "  forks:", "  labels: {}\n  # forks:", 1)
		objects, _ = phasesOf(t, options, skipPlugin, without)
		assert.Zero(t, strings.Count(strings.Join(objects, ""), contract.HelperForks), "%+v", c)
	}
}

// A plugin with more steps than a cleanup can remove Secrets of does not keep a teardown from running.
func TestPhases_tooManyStepsToWait(t *testing.T) {
	t.Parallel()
	var plugin strings.Builder
	plugin.WriteString("apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: db@1.0.0}\nspec:\n" +
		"  runner: {image: busybox}\n  create: [{name: c, script: \"#!/bin/sh\"}]\n  delete:\n")
	for i := range contract.MaxSecrets - 1 {
		fmt.Fprintf(&plugin, "  - {name: d%d, script: \"#!/bin/sh\"}\n", i)
	}
	const start = "resourceplugins.dev/fork-start: after-create"
	const at = "resourceplugins.dev/v1alpha1/Sandbox/a spec.resources[0].plugin: "
	options := changed(func(o *Options) { o.Delivery, o.Phases = flux, []string{"delete"} })
	objects, problems := phasesOf(t, options, plugin.String(), forkedSandbox("resourceplugins.dev/state: absent"))
	assert.NotEmpty(t, objects)
	assert.Equal(t, []string{"[warning] " + at + "its delete steps do not wait for the end of the sandbox's forks: a plugin must have at " +
		"most 31 steps for that, not 32; remove the forks first"}, problems)
	_, problems = phasesOf(t, DefaultOptions(), plugin.String(), forkedSandbox(start))
	assert.Equal(t, []string{"[error] " + at + "its plugin must have at most 31 steps for the annotation resourceplugins.dev/fork-start " +
		"of the sandbox, not 32"}, problems)
}

// With the annotation, the last create steps publish a key that forks wait for, where the forks are, even if the plugin has
// no outputs.
func TestPhases_forksLast(t *testing.T) {
	t.Parallel()
	const plain = "apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: db@1.0.0}\nspec:\n" +
		"  runner: {image: busybox, namespace: NAMESPACE}\n  create: [{name: mk, script: \"#!/bin/sh\"}]\n" +
		"  delete: [{name: rm, script: \"#!/bin/sh\"}]\n"
	const start = "resourceplugins.dev/fork-start: after-create"
	inShop := strings.Replace(plain, "NAMESPACE", "shop", 1)
	beside, problems := phasesOf(t, DefaultOptions(), inShop, forkedSandbox(start))
	assert.Empty(t, problems)
	assert.Equal(t, 2, strings.Count(strings.Join(beside, ""), `"created":true`), "both helpers of the step have the plan")
	elsewhere, problems := phasesOf(t, DefaultOptions(), strings.Replace(plain, "NAMESPACE", "databases", 1), forkedSandbox(start))
	assert.Empty(t, problems)
	text := strings.Join(elsewhere, "")
	assert.Contains(t, text, `"inputs":[{"output":"","workloads":true}],"copies":["shop"]`)
	secrets := slices.DeleteFunc(elsewhere, func(o string) bool { return !strings.Contains(o, "kind: Secret\n") })
	assert.Len(t, secrets, 2)

	without, _ := phasesOf(t, DefaultOptions(), inShop, forkedSandbox(""))
	assert.NotContains(t, strings.Join(without, ""), "kind: Secret\n")
	_, problems = phasesOf(t, DefaultOptions(), inShop, forkedSandbox("resourceplugins.dev/fork-start: later"))
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0], `must be "after-create", not "later"`)

	options := changed(func(o *Options) { o.Phases = []string{"delete"} })
	removed, problems := phasesOf(t, options, inShop, forkedSandbox(start+", resourceplugins.dev/state: absent"))
	assert.Empty(t, problems)
	assert.Contains(t, strings.Join(removed, ""), "resourceplugins.dev/helper: cleanup", "the Secrets must be removed")
}
