package rights_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/rights"
)

const stack = `apiVersion: stacks.crossplane.io/v1alpha1
kind: Stack
metadata: {name: redis}
spec: {permissionScope: Cluster, SPEC}
`

const aCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: NAME, annotations: {resourceplugins.dev/package-of: redis}}
spec: {group: GROUP, names: {kind: Kind, plural: PLURAL}, versions: [{name: v1, served: true, storage: true}]}
`

// check returns the findings of a stack with a spec and CRDs, PLURAL.GROUP.
func check(t *testing.T, spec string, crds ...string) (found []string) {
	t.Helper()
	texts := []string{strings.Replace(stack, "SPEC", spec, 1)}
	for _, crd := range crds {
		plural, group, _ := strings.Cut(crd, ".")
		texts = append(texts, strings.NewReplacer("NAME", crd, "GROUP", group, "PLURAL", plural).Replace(aCRD))
	}
	list := krm.NewList()
	for _, text := range texts {
		item, err := krm.NewItem([]byte(text))
		require.NoError(t, err)
		list.Append(item)
	}
	for _, p := range pack.Find(list) {
		for _, f := range rights.Check(p) {
			found = append(found, strings.TrimPrefix(string(f.Field)+": "+f.Message, ": "))
		}
	}
	return found
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const builtin = "its controller would get rights on resources of Kubernetes"
	for _, test := range []struct {
		spec string
		crds []string
		want []string
	}{
		{"", []string{"caches.cache.example.org"}, nil},
		{"", []string{"mutatingwebhookconfigurations.admissionregistration.k8s.io"}, []string{
			`CRD "mutatingwebhookconfigurations.admissionregistration.k8s.io" must be in an API group of the package's own: ` + builtin +
				" (admissionregistration.k8s.io)"}},
		{"", []string{"clusterroles.rbac.authorization.k8s.io"}, []string{
			`CRD "clusterroles.rbac.authorization.k8s.io" must be in an API group of the package's own: ` + builtin +
				" (rbac.authorization.k8s.io)"}},
		{`dependsOn: [{crd: "*.cache.example.org/v1"}, {crd: caches.cache.example.org}]`, nil, nil},
		{`dependsOn: [{crd: "*.*"}]`, nil, []string{
			`spec.dependsOn[0].crd: must be a CRD of another package, not "*.*": the controller would get rights on all API groups`}},
		{`dependsOn: [{crd: caches.*.example.org}]`, nil, []string{
			`spec.dependsOn[0].crd: must be a CRD of another package, not "caches.*.example.org": the controller would get rights on all API groups`}},
		{`dependsOn: [{crd: secrets}]`, nil, []string{
			`spec.dependsOn[0].crd: must be a CRD of another package, not "secrets": the controller would get rights on resources of Kubernetes`}},
		{`dependsOn: [{crd: nodes/proxy}]`, nil, []string{
			`spec.dependsOn[0].crd: must be a CRD of another package, not "nodes/proxy": the controller would get rights on resources of Kubernetes`}},
		{`dependsOn: [{crd: rbac.authorization.k8s.io/clusterroles}]`, nil, []string{
			`spec.dependsOn[0].crd: must be a CRD of another package, not "rbac.authorization.k8s.io/clusterroles": the controller would get ` +
				`rights on resources of Kubernetes (authorization.k8s.io)`}},
		{`dependsOn: [{crd: deployments.apps}]`, nil, []string{
			`spec.dependsOn[0].crd: must be a CRD of another package, not "deployments.apps": the controller would get rights on resources of Kubernetes (apps)`}},
		{`permissions: {rules: [{apiGroups: [""], resources: [configmaps, secrets, events], verbs: ["*"]}]}`, nil, nil},
		{`permissions: {rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`, nil, []string{
			`spec.permissions.rules[0].resources[0]: must not be "pods": the controller would get rights on resources of Kubernetes`}},
		{`permissions: {rules: [{apiGroups: ["*"], resources: ["*"], verbs: [get]}]}`, nil, []string{
			`spec.permissions.rules[0].apiGroups[0]: must be an API group, not "*": the controller would get rights on all`}},
		{`permissions: {rules: [{apiGroups: [cert-manager.io], resources: [issuers], verbs: [get]}]}`, nil, []string{
			`spec.permissions.rules[0].resources[0]: must not be "issuers" of "cert-manager.io": the package has no such CRD, and depends on none`}},
		{`permissions: {rules: [{apiGroups: [cache.example.org], resources: [caches, caches/finalizers], verbs: [get]}]}`,
			[]string{"caches.cache.example.org"}, nil},
		{`permissions: {rules: [{apiGroups: [cache.example.org], resources: ["*"], verbs: [get]}]}`, []string{"caches.cache.example.org"}, []string{
			`spec.permissions.rules[0].resources[0]: must not be "*" of "cache.example.org": the package has no such CRD, and depends on none`}},
		{`permissions: {rules: [{nonResourceURLs: ["*"], verbs: [get]}]}`, nil, []string{
			`spec.permissions.rules[0].nonResourceURLs: must not be set, to "*": a controller of a stack has rights on resources only`}},
		{`permissions: {rules: [{apiGroups: [a.example.org], resources: [as], verbs: [get]}]}, ` +
			`customresourcedefinitions: [{apiVersion: a.example.org/v1, kind: A}]`, nil, nil}, // its CRDs are elsewhere
		{`permissions: {rules: [{apiGroups: [apps], resources: [deployments], verbs: [get]}]}, ` +
			`customresourcedefinitions: [{apiVersion: apps/v1, kind: Deployment}]`, nil, []string{
			`spec.permissions.rules[0].resources[0]: must not be "deployments": the controller would get rights on resources of Kubernetes (apps)`}},
	} {
		assert.Equal(t, test.want, check(t, test.spec, test.crds...), "%s %s", test.spec, test.crds)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "in namespace a: get, list secrets, caches.example.org/status; get /healthz", rights.Summary([]rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get", "list"}},
		{APIGroups: []string{"example.org"}, Resources: []string{"caches/status"}, Verbs: []string{"get", "list"}},
		{NonResourceURLs: []string{"/healthz"}, Verbs: []string{"get"}},
	}, "in namespace a"))
}

func TestCheckLevels(t *testing.T) {
	t.Parallel()
	assert.Empty(t, rights.CheckLevels(map[string]string{"package-rights/a": "off", "package-rights": "warning", "other": "x"}))
	assert.Len(t, rights.CheckLevels(map[string]string{"package-rights/a": "info", "package-rights": ""}), 2)
}
