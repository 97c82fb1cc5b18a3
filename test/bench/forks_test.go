package bench

import (
	"bufio"
	"fmt"
	"strings"
)

// forked are the baselines that every sandbox of writeForkList forks.
var forked = []string{"cart", "checkout", "payment"}

// writeForkList writes a ResourceList with the plugin, the baselines and n sandboxes with a resource and three forks each.
func writeForkList(file string, n int) error {
	return write(file, func(w *bufio.Writer) {
		fmt.Fprint(w, listHead)
		writeItem(w, plugin)
		for _, name := range forked {
			writeItem(w, fmt.Sprintf(baselineDeployment, name))
			writeItem(w, fmt.Sprintf(baselineService, name))
		}
		for i := range n {
			writeItem(w, forkSandbox(i))
		}
	})
}

// forkSandbox is the sandbox of the other contests with three forks.
func forkSandbox(i int) string {
	var text strings.Builder
	before, _, _ := strings.Cut(sandbox(i), "  forks:\n")
	text.WriteString(before + "  forks:\n")
	for _, name := range forked {
		fmt.Fprintf(&text, `  - forkOf:
      kind: Deployment
      namespace: shop
      name: %s
    customizations:
      images:
      - image: registry.example.com/shop/%s:pr-%d
      env:
      - name: GREETING
        value: number %d
`, name, name, i, i)
	}
	return text.String()
}

const baselineDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: %[1]s
  namespace: shop
  labels:
    app: %[1]s
spec:
  # three, so that one may be drained
  replicas: 3
  selector:
    matchLabels:
      app: %[1]s
  template:
    metadata:
      labels:
        app: %[1]s
        team: shop
    spec:
      containers:
      - name: app
        image: registry.example.com/shop/%[1]s:v1 # pinned
        args: ["--port", "8080"]
        env:
        - name: GREETING
          value: hello
        resources:
          limits:
            memory: 128Mi
`

const baselineService = `apiVersion: v1
kind: Service
metadata:
  name: %[1]s
  namespace: shop
spec:
  selector:
    app: %[1]s
  ports:
  - name: http
    port: 80
    targetPort: 8080
`

// forkTemplate prints the objects of one sandbox: the Job, and a Deployment and a Service for each fork.
const forkTemplate = jobTemplate + `{{- range $name := list "cart" "checkout" "payment" }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ printf "%s-sandbox-%d-%s" $name $i (printf "%s%d" $name $i | sha256sum | trunc 12) }}
  namespace: shop
  labels: &labels
    app.kubernetes.io/managed-by: helm
    resourceplugins.dev/fork: {{ $name }}-sandbox-{{ $i }}
    resourceplugins.dev/sandbox: sandbox-{{ $i }}
    team: shop
  annotations:
    resourceplugins.dev/baseline: Deployment/{{ $name }}
    resourceplugins.dev/rendered-by: helm
    resourceplugins.dev/sandbox: sandbox-{{ $i }}
spec:
  replicas: 1
  selector:
    matchLabels:
      resourceplugins.dev/fork: {{ $name }}-sandbox-{{ $i }}
  template:
    metadata:
      labels: *labels
    spec:
      containers:
      - name: app
        image: registry.example.com/shop/{{ $name }}:pr-{{ $i }}
        args: ["--port", "8080"]
        env:
        - name: GREETING
          value: number {{ $i }}
        - name: SIGNADOT_SANDBOX_NAME
          value: sandbox-{{ $i }}
        - name: SIGNADOT_SANDBOX_ROUTING_KEY
          value: {{ printf "%d" $i | sha256sum | trunc 13 }}
        resources:
          limits:
            memory: 128Mi
---
apiVersion: v1
kind: Service
metadata:
  name: {{ printf "%s-sandbox-%d-%s" $name $i (printf "%d%s" $i $name | sha256sum | trunc 12) }}
  namespace: shop
  labels:
    app.kubernetes.io/managed-by: helm
    resourceplugins.dev/fork: {{ $name }}-sandbox-{{ $i }}
    resourceplugins.dev/sandbox: sandbox-{{ $i }}
  annotations:
    resourceplugins.dev/baseline: Service/{{ $name }}
    resourceplugins.dev/rendered-by: helm
    resourceplugins.dev/sandbox: sandbox-{{ $i }}
spec:
  selector:
    resourceplugins.dev/fork: {{ $name }}-sandbox-{{ $i }}
  ports:
  - name: http
    port: 80
    targetPort: 8080
{{- end }}
`
