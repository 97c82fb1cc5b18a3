package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func list(t *testing.T, documents ...string) *krm.ResourceList {
	t.Helper()
	items := make([]*krm.Item, len(documents))
	for i, document := range documents {
		var node yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(document), &node), document)
		items[i] = krm.FromNode(node.Content[0], "x.yaml")
	}
	return krm.NewList(items...)
}

// finished is a fork with its rendered objects.
type finished struct {
	*fork

	object   object
	services []object
}

func forkOf(t *testing.T, named v1alpha1.Workload, documents ...string) finished {
	t.Helper()
	owner := box(t, "s", fmt.Sprintf("{cluster: c, ttl: {duration: 2d}, forks: [{forkOf: {kind: %s, namespace: %s, name: %s}}]}",
		named.Kind, named.Namespace, named.Name))
	owner.id, owner.key, owner.options.Name = "abcdefghijklm", "key", "me"
	cluster, err := readCluster(list(t, documents...), "")
	require.NoError(t, err)
	workload, err := cluster.find(named)
	require.NoError(t, err)
	f := newFork(owner, 0, workload)
	o := f.copyWorkload()
	require.NoError(t, f.finalize(o))
	return finished{f, o, f.copyServices()}
}

var forkWeb = v1alpha1.Workload{Kind: "Deployment", Namespace: "ns", Name: "web"}

const forkDeployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: ns}\nspec:\n  selector: {matchLabels: {app: web}}\n" +
	"  template: {metadata: {labels: {app: web, extra: x}}, spec: {containers: [{name: c, image: i}]}}\n"

// Copies of Services keep only the fields and annotations that work within the cluster.
func TestServicesAreReachedFromWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, spec, want string }{
		{"plain", "ports: [{port: 80}]", "ports: [{port: 80}]"},
		{"headless", "clusterIP: None, clusterIPs: [None], ports: [{port: 80}]", "clusterIP: None, ports: [{port: 80}]"},
		{"assigned", "clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: [{port: 80}]", "ports: [{port: 80}]"},
		{"node port", "type: NodePort, ports: [{port: 80, nodePort: 30000}, {port: 81}]", "ports: [{port: 80}, {port: 81}]"},
		{
			"load balancer", "type: LoadBalancer, loadBalancerIP: 1.1.1.1, loadBalancerClass: x, loadBalancerSourceRanges: [1.1.1.0/24], " +
				"allocateLoadBalancerNodePorts: false, externalTrafficPolicy: Local, healthCheckNodePort: 30001, externalIPs: [2.2.2.2], " +
				"sessionAffinity: ClientIP, publishNotReadyAddresses: true, ports: [{name: a, port: 80, targetPort: http}]",
			"sessionAffinity: ClientIP, publishNotReadyAddresses: true, ports: [{name: a, port: 80, targetPort: http}]",
		},
	} {
		f := forkOf(t, forkWeb, forkDeployment, "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: ns, annotations: "+
			"{service.beta.kubernetes.io/aws: x, external-dns.alpha.kubernetes.io/hostname: h, note: mine}}\nstatus: {loadBalancer: {}}\n"+
			"spec: {selector: {app: web}, "+c.spec+"}\n")
		require.Len(t, f.services, 1, c.name)
		service := f.services[0]
		assert.Nil(t, service["status"])
		assert.Equal(t, "mine", stringMap(service, "metadata", "annotations")["note"])
		for _, external := range []string{"service.beta.kubernetes.io/aws", "external-dns.alpha.kubernetes.io/hostname"} {
			assert.NotContains(t, stringMap(service, "metadata", "annotations"), external)
		}
		assert.Equal(t, f.name, stringMap(service, "spec", "selector")["resourceplugins.dev/fork"])
		delete(child(service, "spec"), "selector")
		text, err := yaml.Marshal(service["spec"])
		require.NoError(t, err)
		assert.YAMLEq(t, "{"+c.want+"}", string(text), c.name)
	}
}

// Services are copied if they select the Pods of the forked workload.
func TestServicesInFront(t *testing.T) {
	t.Parallel()
	service := func(name, namespace, spec string) string {
		return "apiVersion: v1\nkind: Service\nmetadata: {name: " + name + ", namespace: " + namespace + "}\nspec: {" + spec + "}\n"
	}
	f := forkOf(t, forkWeb, forkDeployment,
		service("both", "ns", "selector: {app: web, extra: x}"), service("one", "ns", "selector: {extra: x}"),
		service("other", "ns", "selector: {app: api}"), service("more", "ns", "selector: {app: web, tier: back}"),
		service("none", "ns", "ports: []"), service("elsewhere", "other", "selector: {app: web}"),
		service("named", "ns", "type: ExternalName, externalName: x, selector: {app: web}"),
	)
	var names []string
	for _, s := range f.fork.services {
		names = append(names, s.name)
		assert.Empty(t, validation.IsDNS1035Label(s.fork))
		assert.Equal(t, s.fork+".ns.svc", s.host())
	}
	assert.Equal(t, []string{"both", "one"}, names)
}

func TestIdentityIsLeftBehind(t *testing.T) {
	t.Parallel()
	keys := []string{
		"kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision", "argocd.argoproj.io/tracking-id",
		"meta.helm.sh/release-name", "helm.sh/chart", "kustomize.toolkit.fluxcd.io/name", "internal.config.kubernetes.io/path",
		"config.kubernetes.io/origin", "kustomize.config.k8s.io/id", "internal.kpt.dev/upstream-identifier",
		"config.k8s.io/owning-inventory", "cli-utils.sigs.k8s.io/on-remove", "resourceplugins.dev/phase", "janitor/expires",
	}
	f := forkOf(t, forkWeb, strings.Replace(forkDeployment, "namespace: ns}", "namespace: ns, uid: u, resourceVersion: '1', generation: 2, "+
		"creationTimestamp: null, managedFields: [], ownerReferences: [], finalizers: [a/b], generateName: w, selfLink: s, "+
		"labels: {app: web, app.kubernetes.io/instance: rel, helm.sh/chart: c, app.kubernetes.io/managed-by: Helm, team: t}, "+
		"annotations: {note: mine, argocd.argoproj.io/sync-wave: '1', "+strings.Join(keys, ": x, ")+": x}}", 1)+"status: {replicas: 1}\n")
	text, err := yaml.Marshal(f.object["metadata"])
	require.NoError(t, err)
	assert.YAMLEq(t, "{name: "+f.name+", namespace: ns, labels: {team: t, app.kubernetes.io/managed-by: krm-functions, "+
		"resourceplugins.dev/fork: "+f.name+", resourceplugins.dev/sandbox: s, resourceplugins.dev/sandbox-id: abcdefghijklm}, annotations: {note: mine, argocd.argoproj.io/sync-wave: '1', "+
		"janitor/ttl: 2d, resourceplugins.dev/baseline: Deployment/web, resourceplugins.dev/fork: "+f.name+
		", resourceplugins.dev/rendered-by: me, resourceplugins.dev/routing-key: key, resourceplugins.dev/sandbox: s, resourceplugins.dev/sandbox-id: abcdefghijklm}}", string(text))
	assert.Nil(t, f.object["status"])
}

func TestWhatAPatchMustLeave(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(object){
		"must not change kind":              func(o object) { o["kind"] = "Pod" },
		"must leave at least one container": func(o object) { delete(o, "spec") },
	} {
		f := forkOf(t, forkWeb, forkDeployment)
		change(f.object)
		assert.ErrorContains(t, f.finalize(f.object), want)
	}
}

func TestRolloutTakesTheTemplateItNames(t *testing.T) {
	t.Parallel()
	workloadRef := "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: r, namespace: ns}\nspec:\n" +
		"  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  strategy: {blueGreen: {activeService: a}}\n"
	named := v1alpha1.Workload{Kind: "ArgoRollout", Namespace: "ns", Name: "r"}
	f := forkOf(t, named, workloadRef, forkDeployment)
	assert.Nil(t, child(f.object, "spec", "workloadRef"))
	assert.Len(t, children(f.object, "spec", "template", "spec", "containers"), 1)
	assert.NotNil(t, child(f.object, "spec", "strategy", "canary"))
	assert.Nil(t, child(f.object, "spec", "strategy", "blueGreen"))
	cluster, err := readCluster(list(t, workloadRef), "")
	require.NoError(t, err)
	_, err = cluster.find(named)
	assert.ErrorContains(t, err, `takes its Pods from the Deployment "web", which must be in the list`)
}

// Names are valid, and depend only on the sandbox and the baseline.
func TestForkNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 15)
	f := forkOf(t, v1alpha1.Workload{Kind: "Deployment", Namespace: "ns", Name: long}, strings.Replace(forkDeployment, "name: web,", "name: "+long+",", 1))
	assert.LessOrEqual(t, len(f.name), 45)
	assert.Empty(t, validation.IsDNS1123Label(f.name))
	short, again := forkOf(t, forkWeb, forkDeployment), forkOf(t, forkWeb, forkDeployment)
	assert.Equal(t, short.name, again.name)
	assert.NotEqual(t, short.name, f.name)
}
