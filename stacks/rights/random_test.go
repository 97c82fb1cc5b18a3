package rights_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/stacks/rights"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// resource is a resource in the messages of the oracle.
type resource struct {
	Group    string `json:"group"`
	Resource string `json:"resource"`
}

// question and answer are the lines that tools/rights reads and writes.
type question struct {
	CRDs   []json.RawMessage   `json:"crds"`
	Rules  []rbacv1.PolicyRule `json:"rules"`
	Others []resource          `json:"others"`
}

type answer struct {
	Refused []string   `json:"refused"`
	Can     []resource `json:"can"`
}

// others are custom resources of other packages in the cluster.
var others = []resource{
	{"cache.example.org", "caches"}, {"cache.example.org", "buckets"}, {"cert-manager.io", "certificates"}, {"cert-manager.io", "issuers"},
	{"databases.example.org", "caches"},
}

// The parts of random packages, of which about half are harmless.
var (
	plurals = []string{
		"caches", "caches", "buckets", "secrets", "configmaps", "nodes", "pods", "deployments", "clusterroles", "clusterrolebindings",
		"mutatingwebhookconfigurations", "validatingadmissionpolicies", "certificatesigningrequests", "tokenreviews", "jobs", "leases",
		"customresourcedefinitions", "apiservices", "*", "nodes/proxy", "caches/status", "pods/exec",
	}
	groups = []string{
		"own.example.org", "own.example.org", "own.example.org", "cache.example.org", "cert-manager.io", "", "apps", "batch",
		"rbac.authorization.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "certificates.k8s.io",
		"authentication.k8s.io", "coordination.k8s.io", "policy", "extensions", "*", "k8s.io", "x.kubernetes.io", "metrics.k8s.io", "example.org.k8s.io",
		"k8s.io.example.org", "authorization.k8s.io", "storage.k8s.io",
	}
	approvals = []string{"", "unapproved, x", "https://github.com/kubernetes/kubernetes/pull/1", "bad"}
)

func oneOf[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }

// randomFiles are the files of a package.
func randomFiles(random *rand.Rand) registry.Files {
	scope := oneOf(random, []string{"Cluster", "Namespaced"})
	app := "title: Random\npermissionScope: " + scope + "\n"
	if n := random.IntN(3); n > 0 {
		app += "dependsOn:\n"
		for range n {
			name := strings.Trim(oneOf(random, plurals)+"."+oneOf(random, groups), ".")
			app += fmt.Sprintf("- crd: %q\n", oneOf(random, []string{name, name + "/v1", name, strings.ReplaceAll(name, ".", "/")}))
		}
	}
	files := registry.Files{"app.yaml": []byte(app), "install.yaml": []byte(deployment)}
	for i := range random.IntN(3) {
		plural, group := oneOf(random, plurals), oneOf(random, groups)
		crd := map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{
				"name":        plural + "." + group,
				"annotations": map[string]any{"api-approved.kubernetes.io": oneOf(random, approvals)},
			},
			"spec": map[string]any{
				"group": group, "scope": oneOf(random, []string{scope, "Namespaced"}),
				"names": map[string]any{"plural": plural, "singular": "random" + fmt.Sprint(i), "kind": "Random" + fmt.Sprint(i), "listKind": "RandomList"},
				"versions": []any{map[string]any{
					"name": "v1", "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}},
					"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}},
				}},
			},
		}
		text, _ := json.Marshal(crd)
		files[fmt.Sprintf("resources/random%d.crd.yaml", i)] = text
	}
	return files
}

const deployment = `apiVersion: apps/v1
kind: Deployment
spec: {selector: {}, template: {spec: {containers: [{name: a, image: registry.example.org/a:v1}]}}}
`

// randomRules are permissions of a record that was not unpacked, but written.
func randomRules(random *rand.Rand) []rbacv1.PolicyRule {
	rules := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps", "events", "secrets"}, Verbs: []string{"*"}}}
	for range 1 + random.IntN(3) {
		rule := rbacv1.PolicyRule{Verbs: []string{oneOf(random, []string{"*", "get", "create", "escalate", "bind", "impersonate", "use"})}}
		if random.IntN(12) == 0 {
			rule.NonResourceURLs = []string{oneOf(random, []string{"*", "/healthz", "/metrics"})}
		} else {
			for range 1 + random.IntN(2) {
				rule.APIGroups = append(rule.APIGroups, oneOf(random, groups))
				rule.Resources = append(rule.Resources, oneOf(random, append([]string{"*/status", "*/scale", "caches/*"}, plurals...)))
			}
		}
		rules = append(rules, rule)
	}
	return rules
}

// unpacked is a random package, with the findings about it and the applied objects.
type unpacked struct {
	found    []rights.Finding
	question question
	files    registry.Files
	record   string
}

// unpack unpacks a random package, nil if it cannot be unpacked.
func unpack(t *testing.T, random *rand.Rand) *unpacked {
	t.Helper()
	files := randomFiles(random)
	u, results := pack.Unpack(files, registry.Options{Name: "random"})
	if results.Failed() {
		return nil
	}
	record := kyaml.NewRNode(u.Record)
	if random.IntN(2) == 0 {
		rules, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&rbacv1.ClusterRole{Rules: randomRules(random)})
		require.NoError(t, err)
		text, err := json.Marshal(rules["rules"])
		require.NoError(t, err)
		node := kyaml.MustParse(string(text))
		require.NoError(t, record.PipeE(kyaml.Lookup("spec", "permissions"), kyaml.SetField("rules", node)))
	}
	objects, err := pack.Install(u, &unpacking.Settings{Name: "random", Controller: "random", Scope: scopeOf(record)}, "default")
	if err != nil {
		return nil
	}
	one := &unpacked{files: files, record: record.MustString(), question: question{Others: others}}
	for _, object := range objects {
		switch object.GetKind() {
		case "CustomResourceDefinition":
			text, err := object.MarshalJSON()
			require.NoError(t, err)
			one.question.CRDs = append(one.question.CRDs, text)
		case "Role", "ClusterRole":
			var role rbacv1.ClusterRole
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role))
			one.question.Rules = append(one.question.Rules, role.Rules...)
		}
	}
	var items []*krm.Item
	for _, object := range append(slices.Clone(u.CRDs), u.Record) {
		item, err := krm.NewItem([]byte(kyaml.NewRNode(object).MustString()))
		require.NoError(t, err)
		items = append(items, item)
	}
	pack.Mark(items, "registry.example.org/acme/random:v1")
	for _, p := range pack.Find(krm.NewList(items...)) {
		one.found = append(one.found, rights.Check(p)...)
	}
	return one
}

func scopeOf(record *kyaml.RNode) string {
	scope, _ := record.GetString("spec.permissionScope")
	return scope
}

// declared reports whether a package depends on a custom resource of another package, or has a CRD of its name: then the
// controller may have rights on it.
func (u *unpacked) declared(one resource) bool {
	plural, _, _ := strings.Cut(one.Resource, "/")
	name := plural + "." + one.Group
	app := string(u.files["app.yaml"])
	for _, crd := range u.question.CRDs {
		if strings.Contains(string(crd), `"name":"`+name+`"`) {
			return true
		}
	}
	return strings.Contains(app, `"`+name+`"`) || strings.Contains(app, `"`+name+`/v1"`) ||
		strings.Contains(app, `"*.`+one.Group+`"`) || strings.Contains(app, `"*.`+one.Group+`/v1"`)
}

// covers reports whether a finding is about a right.
func covers(f rights.Finding, right resource) bool {
	switch {
	case right.Group == "URL":
		return strings.Contains(string(f.Field), "nonResourceURLs")
	case strings.HasSuffix(f.Message, "rights on all"), strings.HasSuffix(f.Message, "all API groups"):
		return true
	case right.Group == "":
		return strings.HasSuffix(f.Message, "resources of Kubernetes")
	}
	return strings.HasSuffix(f.Message, "("+right.Group+")") || strings.Contains(f.Message, fmt.Sprintf(" of %q: ", right.Group))
}

// Whatever a package asks for: if the API server takes its CRDs and its role lets the controller do more than a controller
// may, there is a finding about each right.
func TestRandomPackages(t *testing.T) {
	t.Parallel()
	const packages = 2000
	random := checkout.Random(t)
	tool := exec.CommandContext(t.Context(), checkout.Tool(t, "rights"))
	var all []*unpacked
	var lines bytes.Buffer
	for len(all) < packages {
		if one := unpack(t, random); one != nil {
			all = append(all, one)
			require.NoError(t, json.NewEncoder(&lines).Encode(one.question))
		}
	}
	tool.Stdin = &lines
	out, err := tool.Output()
	require.NoError(t, err)
	counts := map[string]int{}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for _, one := range all {
		var a answer
		require.NoError(t, decoder.Decode(&a))
		dangerous := slices.DeleteFunc(a.Can, func(r resource) bool {
			isCore := r.Group == "" && slices.Contains([]string{"configmaps", "events", "secrets"}, r.Resource)
			isOther := slices.ContainsFunc(others, func(o resource) bool { return o == r })
			return isCore || isOther && one.declared(r)
		})
		isAccepted := !slices.ContainsFunc(a.Refused, func(why string) bool { return why != "" })
		for _, right := range dangerous {
			require.True(t, slices.ContainsFunc(one.found, func(f rights.Finding) bool { return covers(f, right) }),
				"no finding about a right on %v\n%s\n%s\n%s", right, one.files["app.yaml"], one.record, one.found)
		}
		switch {
		case len(dangerous) > 0 && isAccepted:
			counts["dangerous and accepted by the API server"]++
		case len(dangerous) > 0:
			counts["dangerous, but a CRD is refused"]++
		case len(one.found) > 0:
			counts["an error, though no such resource exists"]++
		default:
			counts["harmless"]++
		}
	}
	t.Log(counts)
	for _, class := range []string{"dangerous and accepted by the API server", "harmless"} {
		assert.Greater(t, counts[class], packages/20, class)
	}
}
