package sandbox

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// baselineDeployment, serviceManifest and policy return documents of namespace ns with some varying fields.
func baselineDeployment(metadata, labels string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {" + metadata + "}\nspec:\n  selector: {matchLabels: {app: web}}\n" +
		"  template: {metadata: {labels: {" + labels + "}}, spec: {containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]}}\n"
}

func serviceManifest(metadata, spec string) string {
	return "apiVersion: v1\nkind: Service\nmetadata: {" + metadata + "}\nspec: {" + spec + "}\n"
}

func policy(spec string) string {
	return "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: ns}\nspec: {" + spec + "}\n"
}

func read(t *testing.T, documents ...string) *cluster {
	t.Helper()
	cluster, err := readCluster(list(t, documents...), "")
	require.NoError(t, err)
	return cluster
}

var baselineWeb = v1alpha1.Workload{Kind: "Deployment", Namespace: "ns", Name: "web"}

func find(t *testing.T, documents ...string) *workload {
	t.Helper()
	w, err := read(t, documents...).find(baselineWeb)
	require.NoError(t, err)
	return w
}

// A workload is found by its name in the list, and by its original name, before kustomize changed it.
func TestBaselineNames(t *testing.T) {
	t.Parallel()
	const before = "annotations: {internal.config.kubernetes.io/previousNames: 'web,x-web', " +
		"internal.config.kubernetes.io/previousNamespaces: 'ns,other'}"
	prefixed := baselineDeployment("name: pr7-x-web, namespace: new, "+before, "app: web")
	assert.Equal(t, "pr7-x-web", find(t, prefixed).name)
	assert.Equal(t, "web", find(t, prefixed, baselineDeployment("name: web, namespace: ns", "app: web")).name, "a true name comes first")
	assert.Equal(t, "web", find(t, baselineDeployment("name: web, namespace: ns", "app: web"), prefixed).name)
}

func TestFindMissing(t *testing.T) {
	t.Parallel()
	const ours = "name: web, namespace: ns, annotations: {resourceplugins.dev/rendered-by: x}"
	for want, documents := range map[string][]string{
		"must be in the list: add its manifest (apps/v1)":            {},
		"`kubectl get -n ns deployment web -o yaml`":                 {baselineDeployment("name: other, namespace: ns", "app: web")},
		"the one in the list has no metadata.namespace; set it":      {baselineDeployment("name: web", "app: web")},
		"Deployment \"web\" of namespace \"ns\" must be in the list": {baselineDeployment(ours, "app: web")},
		"must have a Pod template": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: ns}\nspec: {replicas: 1}\n",
		},
	} {
		_, err := read(t, documents...).find(baselineWeb)
		require.ErrorContains(t, err, want)
	}
	_, err := read(t).find(v1alpha1.Workload{Kind: "ArgoRollout", Namespace: "ns", Name: "web"})
	assert.ErrorContains(t, err, "Rollout \"web\" of namespace \"ns\" must be in the list: add its manifest (argoproj.io/v1alpha1)")
}

// Every kind of selector is recognized, but only in the namespace of the baseline.
func TestSelectingObjects(t *testing.T) {
	t.Parallel()
	w := find(t, baselineDeployment("name: web, namespace: ns", "app: web"),
		serviceManifest("name: b, namespace: ns", "selector: {app: web}"), serviceManifest("name: a, namespace: ns", "selector: {app: web}"),
		serviceManifest("name: none, namespace: ns", "ports: []"), serviceManifest("name: there, namespace: other", "selector: {app: web}"),
		"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: d, namespace: ns}\nspec: {selector: {}}\n",
		policy("ingress: [{from: [{podSelector: {matchLabels: {app: web}}}, {ipBlock: {cidr: 0.0.0.0/0}}]}], egress: [{to: [{podSelector: {}}]}]"),
	)
	var kinds []string
	for _, selecting := range w.space.selecting {
		kinds = append(kinds, selecting.item.Kind()+" "+selecting.item.Name())
		if selecting.item.Kind() == networkPolicy {
			assert.Len(t, selecting.peers, 2)
		}
	}
	assert.Equal(t, []string{"Deployment web", "Service a", "Service b", "PodDisruptionBudget d", "NetworkPolicy p"}, kinds)
	assert.Equal(t, []int{3, 4}, indexes(w.space.exclusion), "both take every Pod")
	require.Len(t, w.services, 2)
	assert.Equal(t, "a", w.services[0].name)
}

func TestPorts(t *testing.T) {
	t.Parallel()
	w := find(t, baselineDeployment("name: web, namespace: ns", "app: web"), serviceManifest("name: web, namespace: ns", "selector: {app: web}, ports: ["+
		"{port: 80}, {name: rest, port: 81, targetPort: 8081, protocol: UDP, appProtocol: h2c}, {port: 82, targetPort: http}, "+
		"{port: 83, targetPort: nowhere}]"))
	assert.Equal(t, []port{
		{number: 80, target: 80}, {name: "rest", protocol: "UDP", appProtocol: "h2c", number: 81, target: 8081},
		{number: 82, target: 8080}, {number: 83},
	}, w.services[0].ports)
}

func TestPodsThatAreMarked(t *testing.T) {
	t.Parallel()
	w := find(t, baselineDeployment("name: web, namespace: ns", "app: web"), baselineDeployment("name: odd, namespace: ns", "resourceplugins.dev/fork: x"))
	r := renderer{list: krm.NewList()}
	r.reportMarked(w.space)
	require.Len(t, r.list.Results(), 1)
	assert.Equal(t, "odd", r.list.Results()[0].ResourceRef.Name)
}

// Aliases that expand to millions of nodes are rejected.
func TestBombs(t *testing.T) {
	t.Parallel()
	text := baselineDeployment("name: web, namespace: ns", "app: web") + "a0: &a0 [x, x, x, x, x, x, x, x]\n"
	for i := range 8 {
		a, b := string(rune('0'+i)), string(rune('1'+i))
		text += "a" + b + ": &a" + b + " [*a" + a + ", *a" + a + ", *a" + a + ", *a" + a + ", *a" + a + ", *a" + a + ", *a" + a + "]\n"
	}
	var node yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &node))
	_, err := readCluster(krm.NewList(krm.FromNode(node.Content[0], "x.yaml")), "")
	assert.ErrorContains(t, err, `aliases must not stand for more than`)
}
