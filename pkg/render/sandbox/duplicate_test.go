package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

const podTemplate = "template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: web, " +
	"env: [{name: A, value: a}], ports: [{name: http, containerPort: 80}]}]}}"

const metadataOfAll = "metadata: {name: web, namespace: ns, labels: {a: b}, annotations: {c: d}}"

// matched has an object of each kind whose fields are matched.
var matched = map[string]string{
	"apps/v1 Deployment":            "{replicas: 1, selector: {matchLabels: {app: web}}, " + podTemplate + "}",
	"apps/v1 ReplicaSet":            "{selector: {matchLabels: {app: web}}, " + podTemplate + "}",
	"apps/v1 StatefulSet":           "{serviceName: web, selector: {matchExpressions: [{key: app, operator: In, values: [web]}]}, " + podTemplate + "}",
	"apps/v1 DaemonSet":             "{selector: {matchLabels: {app: web}}, " + podTemplate + "}",
	"argoproj.io/v1alpha1 Rollout":  "{workloadRef: {kind: Deployment, name: web}, selector: {matchLabels: {app: web}}, " + podTemplate + "}",
	"v1 Service":                    "{selector: {app: web}, type: ClusterIP, ports: [{name: http, port: 80, targetPort: 80}]}",
	"v1 ReplicationController":      "{selector: {app: web}, " + podTemplate + "}",
	"policy/v1 PodDisruptionBudget": "{selector: {matchLabels: {app: web}}, minAvailable: 1}",
	"networking.k8s.io/v1 NetworkPolicy": "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {a: b}}}]}], " +
		"egress: [{to: [{podSelector: {}}]}]}",
	"gateway.networking.k8s.io/v1 HTTPRoute": "{parentRefs: [{kind: Service, name: web, port: 80}], rules: [{backendRefs: [{name: web, port: 80}]}]}",
	"networking.istio.io/v1 VirtualService":  "{hosts: [web], gateways: [mesh], http: [{route: [{destination: {host: web}}]}]}",
}

// eachMapping calls do for each mapping of a tree.
func eachMapping(node *yaml.Node, do func(*yaml.Node)) {
	if node.Kind == yaml.MappingNode {
		do(node)
	}
	for _, child := range node.Content {
		eachMapping(child, do)
	}
}

// Each key of each kind that is matched must be given once, whichever of the two values readers would take.
func TestDuplicateKeys(t *testing.T) {
	t.Parallel()
	for _, source := range sources {
		for _, kind := range source.kinds {
			require.Contains(t, matched, source.apiVersion+" "+kind)
		}
	}
	cases := 0
	for what, spec := range matched {
		version, kind, _ := strings.Cut(what, " ")
		text := "apiVersion: " + version + "\nkind: " + kind + "\n" + metadataOfAll + "\nspec: " + spec + "\n"
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(text), &document))
		root := document.Content[0]
		_, err := render.ReadObject(krm.FromNode(root, "x.yaml"))
		require.NoError(t, err)
		eachMapping(root, func(mapping *yaml.Node) {
			whole := mapping.Content
			for at := 0; at < len(whole); at += 2 {
				for _, value := range []*yaml.Node{whole[at+1], {Kind: yaml.ScalarNode, Value: "Other"}} {
					for _, content := range [][]*yaml.Node{
						append([]*yaml.Node{whole[at], value}, whole...), append(append([]*yaml.Node{}, whole...), whole[at], value),
					} {
						mapping.Content = content
						cases++
						item := krm.FromNode(root, "x.yaml")
						_, err := render.ReadObject(item)
						require.ErrorContains(t, err, "must not be given twice", "%s %s", what, whole[at].Value)
						if item.Kind() == kind && version != "gateway.networking.k8s.io/v1" && version != "networking.istio.io/v1" {
							_, err = readCluster(krm.NewList(item), "")
							assert.ErrorContains(t, err, "must not be given twice", "%s %s", what, whole[at].Value)
						}
					}
				}
			}
			mapping.Content = whole
		})
	}
	assert.Greater(t, cases, 500)
}

// An object that other programs take for a Service, and one that they take for no Deployment, are refused.
func TestSecondKinds(t *testing.T) {
	t.Parallel()
	for want, document := range map[string]string{
		`ConfigMap "a": kind must not be given twice`: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ns}\n" +
			"spec: {selector: {app: web}}\nkind: Service\n",
		`Deployment "web": kind must not be given twice`: baselineDeployment("name: web, namespace: ns", "app: web") +
			"kind: ClusterRoleBinding\nroleRef: {kind: ClusterRole, name: cluster-admin}\n",
		`["<<"] must not be used here`: "x: &x {kind: Service}\n<<: *x\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: a, namespace: ns}\n",
	} {
		_, err := readCluster(list(t, document), "")
		require.ErrorContains(t, err, want)
	}
}
