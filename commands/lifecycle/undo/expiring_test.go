package undo_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	psa "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// expiring is a sandbox with a ttl, with a fork that uses an output.
const expiring = `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: Feature
  annotations: {a: b}
spec:
  cluster: demo
  ttl: {duration: 2h}
  forks:
  - forkOf: {kind: Deployment, namespace: shop, name: web}
    customizations:
      env:
      - name: DATABASE
        valueFrom: {resource: {name: db, outputKey: make.name}}
  resources:
  - name: db
    plugin: hello@1.0.0
    params: {word: canary}
`

func expiryOptions() render.Options {
	o := render.DefaultOptions()
	o.Expiry, o.WithoutPaths = render.ExpiryCluster, true
	return o
}

func absent(document string) string {
	return strings.Replace(document, "annotations: {a: b", "annotations: {resourceplugins.dev/state: absent, a: b", 1)
}

// objectsOf returns the objects of a kind.
func objectsOf[T any](t *testing.T, items []*krm.Item, kind string) (all []T) {
	t.Helper()
	for _, item := range items {
		if item.Kind() == kind {
			all = append(all, decode[T](t, item))
		}
	}
	return all
}

func decode[T any](t *testing.T, item *krm.Item) (object T) {
	t.Helper()
	text, err := item.Bytes()
	require.NoError(t, err)
	require.NoError(t, sigsyaml.UnmarshalStrict(text, &object))
	return object
}

func findItem(t *testing.T, items []*krm.Item, kind, word string) *krm.Item {
	t.Helper()
	i := slices.IndexFunc(items, func(item *krm.Item) bool { return item.Kind() == kind && strings.Contains(item.Name(), word) })
	require.GreaterOrEqual(t, i, 0, "%s %s", kind, word)
	return items[i]
}

// planOf returns the plan of a ConfigMap.
func planOf(t *testing.T, item *krm.Item) (text []byte, plan expiry.Plan) {
	t.Helper()
	object, err := render.ReadObject(item)
	require.NoError(t, err)
	data, err := base64.StdEncoding.DecodeString(object["binaryData"].(map[string]any)[expiry.PlanKey].(string))
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	text, err = io.ReadAll(reader)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &plan))
	return text, plan
}

// The golden file is for reviewers: it has the objects of the expiry, and the plan.
func TestExpiry_golden(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	for _, item := range rendered(t, items(t, plugin, expiring), expiryOptions()).Objects {
		if item.Kind() == "ConfigMap" && strings.Contains(item.Name(), "teardown") {
			plan, _ := planOf(t, item)
			require.NoError(t, json.Indent(&got, plan, "# ", "  "))
			item.Annotate("removed-by", "this test") // compressed data depends on the version of Go
			text, err := item.Bytes()
			require.NoError(t, err)
			before, after, _ := strings.Cut(string(text), "binaryData:\n")
			_, after, _ = strings.Cut(after, "kind:")
			fmt.Fprintf(&got, "\n---\n%skind:%s", before, after)
			continue
		}
		text, err := item.Bytes()
		require.NoError(t, err)
		fmt.Fprintf(&got, "---\n%s", text)
	}
	const file = "testdata/expiry.yaml"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String())
}

// The account of the CronJob has the rights that its plan needs, by name where names are known, and nothing else. It
// cannot read Secrets, change foreign Roles or create objects that grant rights.
func TestExpiry_rights(t *testing.T) {
	t.Parallel()
	objects := rendered(t, items(t, plugin, expiring), expiryOptions()).Objects
	text, plan := planOf(t, findItem(t, objects, "ConfigMap", "teardown"))
	name := findItem(t, objects, "ConfigMap", "teardown").Name()
	allowed := map[string][]string{ // by verbs on a resource
		"delete,patch configmaps": {name}, "delete,patch roles": {name}, "delete,patch rolebindings": {name},
		"expire " + expiry.Resource: {expiry.Sealed(name, text)},
	}
	for _, object := range plan.Remove {
		key := "delete " + object.Resource
		allowed[key] = append(allowed[key], object.Name)
	}
	for _, one := range plan.Apply {
		var o struct {
			Kind     string
			Metadata struct{ Name string }
		}
		require.NoError(t, json.Unmarshal(one, &o))
		key := map[string]string{"Job": "create,delete,patch jobs", "PodDisruptionBudget": "create,patch poddisruptionbudgets"}[o.Kind]
		require.NotEmpty(t, key, o.Kind)
		allowed[key] = append(allowed[key], o.Metadata.Name)
	}
	seen := map[string]bool{}
	roles := 0
	for _, role := range objectsOf[rbacv1.Role](t, objects, "Role") {
		if role.Name != name {
			continue
		}
		roles++
		for _, rule := range role.Rules {
			require.Len(t, rule.Resources, 1)
			what := strings.Join(rule.Verbs, ",") + " " + rule.Resources[0]
			seen[what] = true
			if what == "deletecollection jobs" {
				assert.Equal(t, "tools", role.Namespace, what)
				continue
			}
			if rule.Verbs[0] == "deletecollection" {
				assert.Equal(t, "shop", role.Namespace, "only in the namespace of the fork")
				continue
			}
			require.NotEmpty(t, rule.ResourceNames, what)
			for _, one := range rule.ResourceNames {
				assert.Contains(t, allowed[what], one, what)
			}
		}
	}
	assert.Equal(t, 2, roles)
	for what := range allowed {
		assert.True(t, seen[what], "the right is missing: %s", what)
	}
	for _, binding := range objectsOf[rbacv1.RoleBinding](t, objects, "RoleBinding") {
		if binding.Name == name {
			assert.Equal(t, findItem(t, objects, "CronJob", "expiry").Name(), binding.Subjects[0].Name)
			assert.Equal(t, "tools", binding.Subjects[0].Namespace)
		}
	}
}

// All objects of the delete phase, except its Jobs and those that count Pods, are applied with the create phase: the
// account could not create Roles.
func TestExpiry_appliesAllButJobsEarly(t *testing.T) {
	t.Parallel()
	list := items(t, plugin, expiring)
	found := rendered(t, list, expiryOptions())
	_, plan := planOf(t, findItem(t, found.Objects, "ConfigMap", "teardown"))
	all := list.Items()
	for _, text := range plan.Apply {
		item, err := krm.NewItem(text)
		require.NoError(t, err)
		all = append(all, item)
	}
	applied := identities(all)
	gone := items(t, plugin, absent(expiring))
	o := render.DefaultOptions()
	o.WithoutPaths, o.Delivery, o.PostRender = true, "helm", true // whose delete steps wait for forks, too
	summary, err := render.Phases(gone, o)
	require.NoError(t, err)
	require.NotEmpty(t, summary.Objects)
	assert.Subset(t, applied, identities(summary.Objects))
	assert.Len(t, applied, len(slices.Compact(slices.Sorted(slices.Values(applied)))), "each object is applied once")
}

// The CronJob's Pods conform to the strictest Pod Security Standard, and two runs never overlap.
func TestExpiry_cronJob(t *testing.T) {
	t.Parallel()
	o := expiryOptions()
	o.ImagePullSecrets = []string{"registry"}
	two := strings.NewReplacer("Feature", "other").Replace(expiring)
	found := rendered(t, items(t, plugin, expiring, two), o)
	jobs := objectsOf[batchv1.CronJob](t, found.Objects, "CronJob")
	require.Len(t, jobs, 1, "one for the namespace, not for the sandbox")
	assert.Equal(t, batchv1.ForbidConcurrent, jobs[0].Spec.ConcurrencyPolicy)
	template := jobs[0].Spec.JobTemplate.Spec.Template
	assert.Equal(t, "registry", template.Spec.ImagePullSecrets[0].Name)
	assert.Equal(t, jobs[0].Name, template.Spec.ServiceAccountName)
	assert.NotContains(t, jobs[0].Labels, "resourceplugins.dev/sandbox-id", "the teardown of a sandbox must not delete it")
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	require.NoError(t, err)
	level := psa.LevelVersion{Level: psa.LevelRestricted, Version: psa.LatestVersion()}
	for _, result := range evaluator.EvaluatePod(level, &template.ObjectMeta, &template.Spec) {
		assert.True(t, result.Allowed, result.ForbiddenReason)
	}
	o.Name = "another"
	again := objectsOf[batchv1.CronJob](t, rendered(t, items(t, plugin, expiring), o).Objects, "CronJob")
	assert.NotEqual(t, jobs[0].Name, again[0].Name, "renders of several names share a namespace")
}

// Any change of the document changes the ConfigMap, also one that its teardown does not show; comments and the order do not.
func TestExpiry_documentDigest(t *testing.T) {
	t.Parallel()
	digest := func(document string) string {
		item := findItem(t, rendered(t, items(t, plugin, document), expiryOptions()).Objects, "ConfigMap", "teardown")
		text, _ := item.Annotation(expiry.DocumentKey)
		require.NotEmpty(t, text)
		return text
	}
	first := digest(expiring)
	assert.Equal(t, first, digest("# a comment\n"+strings.Replace(expiring, "  cluster: demo\n  ttl: {duration: 2h}\n",
		"  ttl: {duration: 2h} # two hours\n  cluster: demo\n", 1)))
	assert.NotEqual(t, first, digest(strings.Replace(expiring, "name: DATABASE", "name: DB", 1)))
}

// A sandbox that is absent has a ConfigMap without a teardown, which only lets the cluster remove it: else a sandbox that is created again
// would be as old as the one before.
func TestExpiry_absent(t *testing.T) {
	t.Parallel()
	o := expiryOptions()
	gone := rendered(t, items(t, plugin, absent(expiring)), o).Objects
	o.Phases = []string{"delete"}
	for _, objects := range [][]*krm.Item{gone, rendered(t, items(t, plugin, expiring), o).Objects} {
		item := findItem(t, objects, "ConfigMap", "teardown")
		text, err := item.Bytes()
		require.NoError(t, err)
		assert.Contains(t, string(text), "resourceplugins.dev/state: absent")
		assert.NotContains(t, string(text), "binaryData")
		role := decode[rbacv1.Role](t, findItem(t, objects, "Role", "teardown"))
		assert.Len(t, role.Rules, 4)
		assert.Equal(t, []string{expiry.SealedAbsent(item.Name())}, role.Rules[3].ResourceNames)
		findItem(t, objects, "CronJob", "expiry")
	}
}

// In a package, a second run changes nothing, and when the sandbox is absent, its delete phase is complete.
func TestExpiry_isRenderedAgain(t *testing.T) {
	t.Parallel()
	o := expiryOptions()
	o.WithoutPaths = false
	list := items(t, plugin, expiring)
	texts := func() (all []string) {
		for _, item := range list.Items() {
			text, err := item.Bytes()
			require.NoError(t, err)
			all = append(all, string(text))
		}
		return all
	}
	rendered(t, list, o)
	first := texts()
	rendered(t, list, o)
	assert.ElementsMatch(t, first, texts())
	for _, result := range list.Results() {
		assert.NotContains(t, result.Message, "removed")
	}

	list.Of("resourceplugins.dev/v1alpha1", "Sandbox")[0].Annotate("resourceplugins.dev/state", "absent")
	rendered(t, list, o)
	fresh := items(t, plugin, absent(expiring))
	rendered(t, fresh, o)
	assert.ElementsMatch(t, identities(fresh.Items()), identities(list.Items()))

	lasting := strings.Replace(expiring, "  ttl: {duration: 2h}\n", "", 1)
	list = items(t, plugin, expiring)
	rendered(t, list, o)
	item, err := krm.NewItem([]byte(lasting))
	require.NoError(t, err)
	list.Replace(list.Of("resourceplugins.dev/v1alpha1", "Sandbox")[0], item)
	assert.Len(t, rendered(t, list, o).Objects, 1, "a sandbox without a ttl has a teardown, and nothing else")
	fresh = items(t, plugin, lasting)
	rendered(t, fresh, o)
	assert.Subset(t, append(identities(fresh.Items()), identity(list.Items(), "hello-delete")), identities(list.Items()))
}

func identities(items []*krm.Item) (all []string) {
	for _, item := range items {
		all = append(all, item.Kind()+"/"+item.Namespace()+"/"+item.Name())
	}
	return all
}

// identity returns the identity of the ConfigMap with a word in its name.
func identity(items []*krm.Item, word string) string {
	i := slices.IndexFunc(identities(items), func(id string) bool { return strings.Contains(id, word) })
	return identities(items)[i]
}

func TestExpiry_helm(t *testing.T) {
	t.Parallel()
	o := expiryOptions()
	o.Delivery = "helm"
	script := strings.Replace(plugin, "      true\n", "      echo '{{ .drop }}'\n", 1)
	for _, item := range rendered(t, items(t, script, expiring), o).Objects {
		text, err := item.Bytes()
		require.NoError(t, err)
		assert.Contains(t, string(text), "helm.sh/resource-policy: keep", "it expires even if the release is gone")
		if strings.Contains(item.Name(), "hello-delete") {
			assert.Contains(t, string(text), "{{`{{`}} .drop }}")
		}
	}
	for _, item := range rendered(t, items(t, plugin, expiring), expiryOptions()).Objects {
		text, err := item.Bytes()
		require.NoError(t, err)
		assert.NotContains(t, string(text), "helm.sh")
	}
}

// Only tools that do not create expired objects again, and Jobs, whose states the cluster can read.
func TestExpiry_options(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*render.Options){
		`expiry: must be cluster, not "git"`:                                        func(o *render.Options) { o.Expiry = "git" },
		"expiry: must not be set with delivery argocd, which creates again":         func(o *render.Options) { o.Delivery = "argocd" },
		"expiry: must not be set with delivery flux, which creates again":           func(o *render.Options) { o.Delivery = "flux" },
		"expiry: must not be set with delivery kpt, which creates again":            func(o *render.Options) { o.Delivery = "kpt" },
		"expiry: must not be set with engine argo and workload Job, whose states":   func(o *render.Options) { o.Engine = "argo" },
		"expiry: must not be set with engine tekton and workload Job, whose states": func(o *render.Options) { o.Engine = "tekton" },
		"expiry: must not be set with engine jobs and workload Pod, whose states":   func(o *render.Options) { o.Workload = "Pod" },
		"ttlSecondsAfterFinished: must be -1 with expiry cluster":                   func(o *render.Options) { o.TTLSecondsAfterFinished = 5 },
		"expiry: must not be set with both phases: hooks and the cluster would": func(o *render.Options) {
			o.Delivery, o.Phases = "helm", []string{"create", "delete"}
		},
	} {
		o := expiryOptions()
		change(&o)
		wrong := o.Validate()
		require.Len(t, wrong, 1, want)
		assert.Contains(t, wrong.Error(), want)
	}
	o := expiryOptions()
	assert.Empty(t, o.Validate())
}

// Sandboxes that cannot expire in the cluster are reported.
func TestExpiry_reports(t *testing.T) {
	t.Parallel()
	other := strings.NewReplacer("hello@1.0.0", "far@1.0.0", "namespace: tools", "namespace: far").Replace(plugin)
	plain := strings.Split(strings.Replace(plugin, "hello@1.0.0", "plain@1.0.0", 1), "    outputs:")[0]
	for name, c := range map[string]struct{ document, want string }{
		"a wrong duration": {strings.Replace(expiring, "2h", "2y", 1), `must be a number of at most 32 bits and one of the units`},
		"a wrong offset": {
			strings.Replace(expiring, "{duration: 2h}", "{duration: 2h, offsetFrom: noMatchedSandboxes}", 1),
			`must be createdAt or updatedAt, not "noMatchedSandboxes"`,
		},
		"several namespaces": {
			expiring + "  - name: more\n    plugin: far@1.0.0\n    params: {word: a}\n",
			`must run in one namespace, not in "far" and "tools": set runnerNamespace, or namespaces`,
		},
		"no delete phase": {
			strings.NewReplacer("hello@1.0.0", "plain@1.0.0").Replace(strings.Split(expiring, "  forks:")[0] + "  resources:" +
				strings.Split(expiring, "  resources:")[1]),
			"the option expiry does nothing for it, since none of its resources has a delete phase: run rplug expire on a schedule",
		},
	} {
		list := items(t, plugin, other, plain, c.document)
		_, err := render.Phases(list, expiryOptions())
		require.NoError(t, err)
		_, err = undoRenderer().Render(list, expiryOptions())
		require.NoError(t, err)
		assert.Contains(t, fmt.Sprint(list.Results()), c.want, name)
	}
}

func undoRenderer() renderphase.Renderer { return undo.Extension().Renderer }
