package krm

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
)

// workloads is a list of 6,000 Deployments, Services and ConfigMaps with comments, about 3.3 MB.
func workloads() []byte {
	var out bytes.Buffer
	out.WriteString(head + "items:\n")
	for n := range 2270 {
		fmt.Fprintf(&out, `- apiVersion: apps/v1
  kind: Deployment # the workload
  metadata:
    name: app-%[1]d
    namespace: team-%[2]d
    annotations:
      internal.config.kubernetes.io/path: "apps/app-%[1]d.yaml"
      internal.config.kubernetes.io/index: '0'
  spec:
    # two, so that one may fail
    replicas: 2
    selector:
      matchLabels: {app: app-%[1]d}
    template:
      metadata:
        labels:
          app: app-%[1]d
      spec:
        containers:
        - name: main
          image: registry.example.com/team-%[2]d/app:1.%[2]d.0
          args: ["--port", "8080", "--verbose"]
          command:
          - /bin/sh
          - -c
          - |
            set -e
            exec app --name "app-%[1]d" # not a comment
          env:
          - name: NAME
            value: >-
              folded text
              in two lines
          - name: PASSWORD
            valueFrom: {secretKeyRef: {name: app-%[1]d, key: password}}
          resources:
            limits:
              memory: 128Mi
# the service of app-%[1]d
- apiVersion: v1
  kind: Service
  metadata:
    name: app-%[1]d
    namespace: team-%[2]d
  spec:
    selector:
      app: app-%[1]d
    ports:
    - port: 80 # plain
      targetPort: 8080
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: app-%[1]d
    namespace: team-%[2]d
  data:
    config.properties: |
      level=info
      # a line that looks like a comment
      url=https://example.com/%[1]d
    motd: "a quoted text that \
      goes on"
`, n, n%17)
	}
	return out.Bytes()
}

// sandboxes is a list of n sandboxes.
func sandboxes(n int) []byte {
	var out bytes.Buffer
	out.WriteString(head + "items:\n")
	for i := range n {
		fmt.Fprintf(&out, `- apiVersion: resourceplugins.dev/v1alpha1
  kind: Sandbox
  metadata:
    name: sandbox-%[1]d
    annotations:
      internal.config.kubernetes.io/path: sandboxes/%[1]d.yaml
  spec:
    cluster: demo
    description: A sandbox # with a comment
    labels:
      team: "t%[1]d"
    resources:
    - name: db
      plugin: hello-db
      params:
        dbname: db-%[1]d
    forks:
    - forkOf:
        kind: Deployment
        namespace: shop
        name: orders
      customizations:
        env:
        - name: DB_HOST
          valueFrom:
            resource:
              name: db
              outputKey: provision.host
`, i)
	}
	return out.Bytes()
}

func BenchmarkPassThrough(b *testing.B) {
	src := workloads()
	b.Run("krm", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			list, err := Parse(src)
			require.NoError(b, err)
			for _, item := range list.Items() {
				if item.Kind() == "" {
					b.Fatal("no kind")
				}
			}
			_, err = list.WriteTo(io.Discard)
			require.NoError(b, err)
		}
	})
	b.Run("kyaml", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		none := framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return nil })
		for b.Loop() {
			require.NoError(b, framework.Execute(none, &kio.ByteReadWriter{
				Reader: bytes.NewReader(src), Writer: io.Discard, KeepReaderAnnotations: true,
			}))
		}
	})
}

func BenchmarkSelect(b *testing.B) {
	src := sandboxes(10000)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		list, err := Parse(src)
		require.NoError(b, err)
		chosen, err := list.Select("resourceplugins.dev/v1alpha1", "Sandbox")
		require.NoError(b, err)
		require.Len(b, chosen, 10000)
	}
}

func BenchmarkEdit(b *testing.B) {
	src := sandboxes(10000)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		list, err := Parse(src)
		require.NoError(b, err)
		chosen, err := list.Select("resourceplugins.dev/v1alpha1", "Sandbox")
		require.NoError(b, err)
		for _, item := range chosen {
			require.NoError(b, item.Set("spec.resources[0].plugin", "hello-db@1.2.0"))
			item.Annotate("resourceplugins.dev/requested", "hello-db")
			item.Annotate("resourceplugins.dev/digests", "sha256:"+strings.Repeat("0", 64))
		}
		_, err = list.WriteTo(io.Discard)
		require.NoError(b, err)
	}
}

func BenchmarkPrint(b *testing.B) {
	list, err := Parse(sandboxes(10000))
	require.NoError(b, err)
	_, err = list.Select("resourceplugins.dev/v1alpha1", "Sandbox")
	require.NoError(b, err)
	for b.Loop() {
		for _, item := range list.Items() {
			_, err := FromNode(item.YNode(), "").Bytes()
			require.NoError(b, err)
		}
	}
}
