package function

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
)

const rollout = `
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  strategy: {blueGreen: {activeService: web, previewService: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: runner
      containers:
      - name: web
        image: web:1
        envFrom: [{configMapRef: {name: settings}}]
      volumes: [{name: s, secret: {secretName: keys}}, {name: d, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
`

const besides = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: runner, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: keys, namespace: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: db-provision-OUTPUT, namespace: shop}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
`

const rolloutSandbox = `
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: s}
spec:
  cluster: c
  resources: [{name: db, plugin: pg}]
  forks:
  - forkOf: {kind: ArgoRollout, namespace: shop, name: web}
    customizations:
      env: [{name: URL, valueFrom: {resource: {name: db, outputKey: provision.url}}}]
`

// A namePrefix of a later overlay reaches every reference of forks of Rollouts, and of routes.
func TestSandboxPrefixReachesEveryReference(t *testing.T) {
	t.Parallel()
	for _, routing := range []string{"gateway-api", "istio"} {
		var stdout, stderr bytes.Buffer
		code := rendersandbox.New().Run(t.Context(), []string{"--baseline", "--routing", routing, "-"},
			strings.NewReader(rollout+"---"+rolloutSandbox), &stdout, &stderr)
		require.Zero(t, code, stderr.String())
		rendered := stdout.String()
		_, secret, _ := strings.Cut(rendered, "secretKeyRef:\n")
		_, secret, _ = strings.Cut(secret, "name: ")
		secret, _, _ = strings.Cut(secret, "\n")
		require.Contains(t, secret, "db-provision-")
		text := overlay(t, rendered+"---"+strings.ReplaceAll(besides, "db-provision-OUTPUT", secret))
		for _, reference := range []string{
			"name: pr7-" + secret, "serviceAccountName: pr7-runner", "secretName: pr7-keys", "claimName: pr7-data",
			"activeService: pr7-web",
		} {
			assert.Contains(t, text, reference)
		}
		assert.Equal(t, 2, strings.Count(text, "configMapRef:\n            name: pr7-settings"), "%s", text)
		if routing == "istio" {
			assert.Contains(t, text, "host: pr7-web-s-")
			assert.Contains(t, text, "hosts:\n  - pr7-web\n")
		} else {
			assert.Contains(t, text, "backendRefs:\n    - name: pr7-web-s-")
		}
	}
}

// everyReference is a Pod's spec with every reference that kustomize follows in a Deployment.
const everyReference = `
      serviceAccountName: runner
      priorityClassName: high
      imagePullSecrets: [{name: keys}]
      initContainers:
      - name: setup
        env:
        - {name: A, valueFrom: {configMapKeyRef: {name: settings, key: a}}}
        - {name: B, valueFrom: {secretKeyRef: {name: keys, key: b}}}
        envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: keys}}]
      containers:
      - name: main
        env:
        - {name: A, valueFrom: {configMapKeyRef: {name: settings, key: a}}}
        - {name: B, valueFrom: {secretKeyRef: {name: keys, key: b}}}
        envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: keys}}]
      volumes:
      - {name: a, configMap: {name: settings}}
      - {name: b, secret: {secretName: keys}}
      - {name: c, persistentVolumeClaim: {claimName: data}}
      - name: d
        projected: {sources: [{configMap: {name: settings}}, {secret: {name: keys}}]}
`

// With our configuration kustomize follows the references of a Rollout's Pods as it follows a Deployment's by itself.
func TestRolloutsAreFollowedAsDeploymentsAre(t *testing.T) {
	t.Parallel()
	build := func(kind string) string {
		workload := "apiVersion: " + kind + "\nmetadata: {name: web, namespace: shop}\nspec:\n  template:\n    spec:" + everyReference
		built := overlay(t, workload+"---"+besides+"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n")
		_, spec, found := strings.Cut(built, "  name: pr7-web\n")
		require.True(t, found, built)
		spec, _, _ = strings.Cut(spec, "---\n")
		return spec
	}
	rollout := build("argoproj.io/v1alpha1\nkind: Rollout")
	assert.Equal(t, build("apps/v1\nkind: Deployment"), rollout)
	assert.Equal(t, 16, strings.Count(rollout, "pr7-"), rollout)
}

// overlay returns the documents after kustomize has built an overlay with a prefix and our configuration.
func overlay(t *testing.T, documents string) string {
	t.Helper()
	names, err := os.ReadFile("../../deploy/kustomize/forks.yaml")
	require.NoError(t, err)
	disk := filesys.MakeFsInMemory()
	for name, text := range map[string]string{
		"/base/kustomization.yaml":    "resources: [rendered.yaml]\n",
		"/base/rendered.yaml":         documents,
		"/overlay/names.yaml":         string(names),
		"/overlay/kustomization.yaml": "resources: [../base]\nnamePrefix: pr7-\nconfigurations: [names.yaml]\n",
	} {
		require.NoError(t, disk.WriteFile(name, []byte(text)))
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, "/overlay")
	require.NoError(t, err)
	text, err := built.AsYaml()
	require.NoError(t, err)
	return string(text)
}

// The copy of a Rollout switches none of the baseline's Services.
func TestRolloutKeepsItsHandsOffServices(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	code := rendersandbox.New().Run(t.Context(), []string{"-"}, strings.NewReader(rollout+"---"+rolloutSandbox), &stdout, &stderr)
	require.Zero(t, code, stderr.String())
	assert.Contains(t, stdout.String(), "strategy:\n    canary: {}\n")
	assert.NotContains(t, stdout.String(), "activeService")
}
