package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// withSecret is a testRequest with an OutputSecret of a namespace.
func withSecret(namespace string, data map[string]string) request {
	r := testRequest
	r.OutputSecrets = []*document.OutputSecret{{
		Name: "shop-db", Namespace: namespace, Spec: v1alpha1.OutputSecretSpec{Data: data},
	}}
	return r
}

var twoSteps = map[string]string{"DB_USER": "provision.user", "rows": "report.rows"}

// The copy waits for the steps, and may write this Secret alone.
func TestOutputSecret(t *testing.T) {
	t.Parallel()
	for namespace, want := range map[string][]string{
		"web": {"databases watch job of provision", "databases watch job of report", "databases watch " + secretOf("provision"),
			"databases watch " + secretOf("report"), "web patch shop-db"},
		"databases": {"databases patch shop-db", "databases watch job of provision", "databases watch job of report",
			"databases watch " + secretOf("provision"), "databases watch " + secretOf("report")},
	} {
		objects := rendered(t, read(t, "postgres"), v1alpha1.PhaseCreate, DefaultOptions(), withSecret(namespace, twoSteps))
		jobs := helperJobs(t, objects, contract.HelperCopy)
		require.Len(t, jobs, 1)
		assert.Equal(t, "databases", jobs[0].Namespace, "it runs where the steps run")
		assert.ElementsMatch(t, want, rights(t, objects, jobs[0].Spec.Template.Spec.ServiceAccountName))
		assert.Equal(t, "shop-db", jobs[0].Spec.Template.Annotations[contract.OutputSecretKey])
		assert.Equal(t, namespace, jobs[0].Annotations[contract.CopyToKey])
		plan := planOf(t, jobs[0])
		assert.Equal(t, []contract.Output{{Name: "DB_USER", Workloads: true}, {Name: "rows", Workloads: true}}, plan.Outputs)
		require.Len(t, plan.Producers, 2)
		assert.Equal(t, []contract.Input{{Output: "user", Key: "DB_USER"}}, plan.Producers[0].Inputs)
		assert.Equal(t, []contract.Input{{Output: "rows", Key: "rows"}}, plan.Producers[1].Inputs)

		secrets := slices.DeleteFunc(ofKind(objects, secretKind), func(o object) bool { return o.GetName() != "shop-db" })
		require.Len(t, secrets, 1)
		checkObject(t, secrets[0])
		assert.Equal(t, namespace, secrets[0].GetNamespace())
		assert.Equal(t, plan.Generation, secrets[0].GetAnnotations()[contract.GenerationKey], "only this copy may write it")
	}
}

// The generation changes with each key and with each step that is read, and with nothing else.
func TestOutputSecret_generation(t *testing.T) {
	t.Parallel()
	of := func(r request) string {
		objects := rendered(t, read(t, "postgres"), v1alpha1.PhaseCreate, DefaultOptions(), r)
		return planOf(t, helperJobs(t, objects, contract.HelperCopy)[0]).Generation
	}
	before := of(withSecret("web", twoSteps))
	for name, data := range map[string]map[string]string{
		"fewer": {"DB_USER": "provision.user"}, "another key": {"USER": "provision.user", "rows": "report.rows"},
		"another output": {"DB_USER": "provision.credentials", "rows": "report.rows"},
	} {
		assert.NotEqual(t, before, of(withSecret("web", data)), name)
	}
	changed := withSecret("web", twoSteps)
	changed.Params = map[string]string{"size": "9"}
	assert.NotEqual(t, before, of(changed), "a param that a step reads")
	assert.Equal(t, before, of(withSecret("apps", twoSteps)), "the namespace is not part of the content")
}

// An OutputSecret adds objects and changes none that were there, so that nothing runs again.
func TestOutputSecret_changesNothingElse(t *testing.T) {
	t.Parallel()
	after := map[string]bool{}
	for _, o := range rendered(t, read(t, "postgres"), v1alpha1.PhaseCreate, DefaultOptions(), withSecret("web", twoSteps)) {
		after[string(printed([]object{o}))] = true
	}
	before := rendered(t, read(t, "postgres"), v1alpha1.PhaseCreate, DefaultOptions(), testRequest)
	for _, o := range before {
		assert.True(t, after[string(printed([]object{o}))], o.GetName())
	}
	assert.Len(t, after, len(before)+7, "a Secret, an account, two Roles with their bindings and a Job")
}

// The cleanup removes the Secret, which the delete phase renders, too, so that a tool that prunes does not remove it before.
func TestOutputSecret_isRemovedByTheCleanup(t *testing.T) {
	t.Parallel()
	for _, namespace := range []string{"web", "databases"} {
		objects := rendered(t, read(t, "postgres"), v1alpha1.PhaseDelete, DefaultOptions(), withSecret(namespace, twoSteps))
		assert.Empty(t, helperJobs(t, objects, contract.HelperCopy))
		jobs := helperJobs(t, objects, contract.HelperCleanup)
		require.Len(t, jobs, 1)
		plan := planOf(t, jobs[0])
		assert.Equal(t, []string{namespace}, plan.Removes)
		assert.Equal(t, "shop-db", jobs[0].Spec.Template.Annotations[contract.InputSecretKey(len(plan.Producers))])
		assert.Contains(t, rights(t, objects, jobs[0].Spec.Template.Spec.ServiceAccountName), namespace+" delete shop-db")
		assert.True(t, slices.ContainsFunc(ofKind(objects, secretKind), func(o object) bool {
			return o.GetName() == "shop-db" && o.GetNamespace() == namespace && o.phase == v1alpha1.PhaseCreate
		}))
		roles := map[string]bool{}
		for _, role := range ofKind(objects, "Role") {
			id := role.GetNamespace() + "/" + role.GetName()
			assert.False(t, roles[id], "%s is rendered twice", id)
			roles[id] = true
		}
	}
}

const (
	secretPlugin = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: db@1.0.0}
spec:
  runner: {image: busybox, namespace: runners}
  create: [{name: make, script: "#!/bin/sh", outputs: [{name: url, valueFromPath: /url}]}]
  delete: [{name: drop, script: "#!/bin/sh"}]
`
	secretSandbox = `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: shop-42}
spec: {cluster: staging, resources: [{name: db, plugin: db}]}
`
	secretDocument = `apiVersion: resourceplugins.dev/v1alpha1
kind: OutputSecret
metadata: {name: shop-db, namespace: shop}
spec: {sandbox: shop-42, resource: db, data: {DATABASE_URL: make.url}}
`
)

func secretItem(t *testing.T, text string) *krm.Item {
	t.Helper()
	item, err := krm.NewItem([]byte(text))
	require.NoError(t, err)
	return item
}

// Each mistake is one finding at its place.
func TestPhases_outputSecretMistakes(t *testing.T) {
	t.Parallel()
	replaced := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(secretDocument) }
	for name, c := range map[string]struct {
		documents []string
		want      string
	}{
		"sandbox": {[]string{replaced("sandbox: shop-42", "sandbox: shop-43")},
			`spec.sandbox: must be a sandbox of the list, not "shop-43": add it, or remove this document with it`},
		"resource": {[]string{replaced("resource: db", "resource: bd")},
			`spec.resource: must be a resource of sandbox "shop-42", not "bd"` + moreFindings},
		"output": {[]string{replaced("make.url", "make.uri")}, `spec.data.DATABASE_URL: must be <step>.<output>, an output of a create ` +
			`step of the resource's plugin, not "make.uri"` + moreFindings},
		"key": {[]string{replaced("DATABASE_URL", `"a b"`)}, `spec.data["a b"]: key "a b" must be valid for a Secret` + moreFindings},
		"no namespace": {[]string{replaced(", namespace: shop", "")},
			`metadata: must have a valid name and namespace, those of the Secret` + moreFindings},
		"twice": {[]string{secretDocument, secretDocument},
			`metadata.name: must not be the name "shop-db" of another OutputSecret of the namespace: both would write one Secret`},
		"a Secret": {[]string{secretDocument, "apiVersion: v1\nkind: Secret\nmetadata: {name: shop-db, namespace: shop}\n"},
			`spec.resources[0]: the name of the Secret "shop-db" must not be taken by another object: remove that one`},
		"a rendered one": {[]string{replaced("name: shop-db, namespace: shop", "name: "+
			contract.OutputSecretName(contract.DeriveSandboxID("staging", "shop-42"), "db", "make")+", namespace: runners")},
			`metadata.name: must not be "` + contract.OutputSecretName(contract.DeriveSandboxID("staging", "shop-42"), "db", "make") +
				`", the name of the Secret with the outputs of step "make": choose another name`},
		"an ExternalSecret": {[]string{secretDocument, "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\n" +
			"metadata: {name: db, namespace: shop}\nspec: {target: {name: shop-db}}\n"},
			`metadata.name: Secret "shop-db" is written by the ExternalSecret "db", too: remove one of them from this environment, or rename one`},
		"a SealedSecret": {[]string{secretDocument, "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\n" +
			"metadata: {name: shop-db, namespace: shop}\n"},
			`metadata.name: Secret "shop-db" is written by the SealedSecret "shop-db", too: remove one of them from this environment, or rename one`},
	} {
		list := krm.NewList(secretItem(t, secretPlugin), secretItem(t, secretSandbox))
		for _, text := range c.documents {
			list.Append(secretItem(t, text))
		}
		_, err := Phases(list, DefaultOptions())
		require.NoError(t, err)
		var errors []string
		for _, result := range list.Results() {
			if result.Severity == krm.Error {
				errors = append(errors, result.Field.Path+": "+result.Message)
			}
		}
		assert.Equal(t, []string{c.want}, errors, name)
	}
}

// kpt has the rendered objects in its list: doing it twice changes nothing, and a Secret that is not asked for any more is removed.
func TestPhases_outputSecretTwice(t *testing.T) {
	t.Parallel()
	document := secretItem(t, secretDocument)
	list := krm.NewList(secretItem(t, secretPlugin), secretItem(t, secretSandbox), document)
	secrets := func() (names []string) {
		_, err := Phases(list, DefaultOptions())
		require.NoError(t, err)
		require.False(t, list.Results().Failed(), list.Results())
		for _, item := range list.Items() {
			if item.Kind() == secretKind && item.Namespace() == "shop" {
				names = append(names, item.Name())
			}
		}
		return names
	}
	assert.Equal(t, []string{"shop-db"}, secrets())
	count := len(list.Items())
	assert.Equal(t, []string{"shop-db"}, secrets())
	assert.Len(t, list.Items(), count)
	list.Remove(document)
	assert.Empty(t, secrets())
}
